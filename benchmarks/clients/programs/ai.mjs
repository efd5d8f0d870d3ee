// Tries the AI SDK with the providers that can use another server: node ai.mjs PROVIDER
import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { origin, schemas, tryClient } from './features.mjs';

const baseURL = `${origin}/v1`;
const apiKey = 'none';
const compatible = { name: 'bowyer', baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true };
const providers = {
  openai: createOpenAI({ baseURL, apiKey }),
  'openai.chat': createOpenAI({ baseURL, apiKey }).chat,
  'openai-compatible': createOpenAICompatible(compatible),
  anthropic: createAnthropic({ baseURL, apiKey }),
  'open-responses': createOpenResponses({ name: 'bowyer', url: `${baseURL}/responses`, apiKey }),
};
const provider = process.argv[2];
const make = providers[provider];

await tryClient(`ai, ${provider}`, {
  async text(prompt, model) {
    const { text, usage } = await generateText({ model: make(model), system: 'Be kind.', prompt });
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
    return text;
  },
  pieces: (prompt, model, abortSignal) =>
    streamText({ model: make(model), prompt, abortSignal, maxOutputTokens: 800 }).textStream,
  loop(prompt, model, functions) {
    const own = Object.entries(functions).map(([name, execute]) => [
      name,
      tool({ inputSchema: jsonSchema(schemas[name]), execute: (args) => execute(args) }),
    ]);
    const options = { model: make(model), prompt, tools: Object.fromEntries(own), stopWhen: stepCountIs(5) };
    return streamText(options).text;
  },
  async object(prompt, model) {
    const output = Output.object({ schema: jsonSchema(schemas.tower) });
    return (await generateText({ model: make(model), prompt, output })).output;
  },
  // With Anthropic's protocol the object is a forced call, in which the served model knows no words.
  comparesForm: provider === 'anthropic',
});
