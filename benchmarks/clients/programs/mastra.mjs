import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import {
  ask,
  loopCalls,
  model as id,
  origin,
  parallelCalls,
  retries,
  run,
  said,
  serverIsIdle,
  tools,
} from './features.mjs';

const provider = createOpenAICompatible({
  name: 'bowyer',
  baseURL: `${origin}/v1`,
  apiKey: 'none',
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const agent = (more = {}) =>
  new Agent({ id: 'helper', name: 'Helper', instructions: 'Be kind.', model: provider(id), maxRetries: 2, ...more });
const inputs = { get_weather: z.object({ city: z.string() }), get_clothes: z.object({ weather: z.string() }) };
const withTools = (functions) => {
  const own = Object.entries(inputs).map(([name, inputSchema]) => [
    name,
    createTool({
      id: name,
      description: name,
      inputSchema,
      execute: (input) => functions[name](input.context ?? input),
    }),
  ]);
  return agent({ tools: Object.fromEntries(own) });
};

await run('@mastra/core', {
  async chat() {
    const { text, usage } = await agent().generate(ask.hello);
    assert.equal(text, said.hello);
    assert.ok(usage.inputTokens > 0);
  },
  async streaming() {
    const { textStream } = await agent().stream(ask.count);
    const pieces = await Array.fromAsync(textStream);
    assert.equal(pieces.join(''), said.count);
    assert.ok(pieces.length > 1);
  },
  async 'two tools'() {
    const functions = tools();
    const { text } = await withTools(functions).stream(ask.wear);
    assert.equal(await text, said.wear);
    assert.deepEqual(functions.called, loopCalls);
  },
  async 'structured output'() {
    const schema = z.object({ city: z.string(), country: z.string() });
    const { object } = await agent().generate(ask.tower, { structuredOutput: { schema } });
    assert.deepEqual(object, said.tower);
  },
  async 'parallel calls'() {
    const functions = tools();
    const { text } = await withTools(functions).generate(ask.compare);
    assert.equal(text, said.compare);
    assert.deepEqual(functions.called, parallelCalls);
  },
  async errors() {
    await assert.rejects(agent({ model: provider('other') }).generate(ask.hello), /'other' does not exist/);
  },
  async abort() {
    const gone = new AbortController();
    const { textStream } = await agent().stream(ask.sing, { abortSignal: gone.signal });
    for await (const _ of textStream) break;
    gone.abort();
    await serverIsIdle();
  },
  async 'retry after 429'() {
    assert.equal((await retries(() => agent().generate(ask.hello))).text, said.hello);
  },
});
