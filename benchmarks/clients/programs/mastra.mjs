// Tries Mastra's agents.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { origin, tryClient } from './features.mjs';

const options = { baseURL: `${origin}/v1`, apiKey: 'none', includeUsage: true, supportsStructuredOutputs: true };
const provider = createOpenAICompatible({ name: 'bowyer', ...options });
const agent = (model, more = {}) =>
  new Agent({
    id: 'helper',
    name: 'Helper',
    instructions: 'Be kind.',
    model: provider(model),
    maxRetries: 2,
    ...more,
  });
const inputs = { get_weather: z.object({ city: z.string() }), get_clothes: z.object({ weather: z.string() }) };

await tryClient('@mastra/core', {
  async text(question, model) {
    const { text, usage } = await agent(model).generate(question);
    assert.ok(usage.inputTokens > 0);
    return text;
  },
  async *pieces(question, model, abortSignal) {
    yield* (await agent(model).stream(question, { abortSignal })).textStream;
  },
  async loop(question, model, functions) {
    const own = Object.entries(functions).map(([id, execute]) => [
      id,
      createTool({
        id,
        description: id,
        inputSchema: inputs[id],
        execute: async (input) => execute(input.context ?? input),
      }),
    ]);
    return (await agent(model, { tools: Object.fromEntries(own) }).stream(question)).text;
  },
  async object(question, model) {
    const schema = z.object({ city: z.string(), country: z.string() });
    return (await agent(model).generate(question, { structuredOutput: { schema } })).object;
  },
});
