// Tries the AI SDK with the providers that can use another server: node ai.mjs PROVIDER
import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import {
  ask,
  loopCalls,
  model as id,
  origin,
  parallelCalls,
  retries,
  run,
  said,
  schemas,
  serverIsIdle,
  tools,
} from './features.mjs';

const baseURL = `${origin}/v1`;
const apiKey = 'none';
const providers = {
  openai: (name) => createOpenAI({ baseURL, apiKey })(name),
  'openai.chat': (name) => createOpenAI({ baseURL, apiKey }).chat(name),
  'openai-compatible': (name) =>
    createOpenAICompatible({ name: 'bowyer', baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true })(
      name,
    ),
  anthropic: (name) => createAnthropic({ baseURL, apiKey })(name),
  'open-responses': (name) => createOpenResponses({ name: 'bowyer', url: `${baseURL}/responses`, apiKey })(name),
};
const provider = process.argv[2];
const make = providers[provider];
const model = make(id);

const own = (functions) =>
  Object.fromEntries(
    ['get_weather', 'get_clothes'].map((name) => [
      name,
      tool({ inputSchema: jsonSchema(schemas[name.slice(4)]), execute: (args) => functions[name](args) }),
    ]),
  );
const stopWhen = stepCountIs(5);

await run(`ai, ${provider}`, {
  async chat() {
    const { text, usage } = await generateText({ model, system: 'Be kind.', prompt: ask.hello });
    assert.equal(text, said.hello);
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
  },
  async streaming() {
    const { textStream, finishReason, usage } = streamText({ model, prompt: ask.count });
    const pieces = await Array.fromAsync(textStream);
    assert.equal(pieces.join(''), said.count);
    assert.ok(pieces.length > 1);
    assert.equal(await finishReason, 'stop');
    assert.ok((await usage).outputTokens > 1);
  },
  async 'two tools'() {
    const functions = tools();
    const { text } = streamText({ model, prompt: ask.wear, tools: own(functions), stopWhen });
    assert.equal(await text, said.wear);
    assert.deepEqual(functions.called, loopCalls);
  },
  async 'structured output'() {
    const output = Output.object({ schema: jsonSchema(schemas.tower) });
    const { output: found } = await generateText({ model, prompt: ask.tower, output });
    // With Anthropic's protocol the object is a forced call, in which the served model knows no words: its form is compared.
    if (provider === 'anthropic') assert.deepEqual(Object.keys(found), Object.keys(said.tower));
    else assert.deepEqual(found, said.tower);
  },
  async 'parallel calls'() {
    const functions = tools();
    const { text } = await generateText({ model, prompt: ask.compare, tools: own(functions), stopWhen });
    assert.equal(text, said.compare);
    assert.deepEqual(functions.called, parallelCalls);
  },
  async errors() {
    await assert.rejects(generateText({ model: make('other'), prompt: ask.hello }), (error) => {
      assert.ok(APICallError.isInstance(error));
      assert.equal(error.statusCode, 404);
      assert.match(error.message, /'other' does not exist/);
      return true;
    });
  },
  async abort() {
    const gone = new AbortController();
    const { textStream } = streamText({ model, prompt: ask.sing, abortSignal: gone.signal, maxOutputTokens: 800 });
    for await (const _ of textStream) break;
    gone.abort();
    await serverIsIdle();
  },
  async 'retry after 429'() {
    assert.equal((await retries(() => generateText({ model, prompt: ask.hello }))).text, said.hello);
  },
});
