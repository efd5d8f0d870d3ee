// Tries OpenAI's Agents SDK over Responses, and over Chat Completions: node agents.mjs responses|chat
import assert from 'node:assert/strict';
import { Agent, run as runAgent, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import {
  ask,
  loopCalls,
  model,
  origin,
  parallelCalls,
  retries,
  run,
  said,
  schemas,
  serverIsIdle,
  tools,
} from './features.mjs';

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'none' }));
setOpenAIAPI(process.argv[2] === 'chat' ? 'chat_completions' : 'responses');

const plain = (more = {}) => new Agent({ name: 'Helper', instructions: 'Be kind.', model, ...more });
const withTools = (functions) =>
  plain({
    tools: ['get_weather', 'get_clothes'].map((name) =>
      tool({
        name,
        description: name,
        parameters: schemas[name.slice(4)],
        strict: false,
        execute: (args) => functions[name](args),
      }),
    ),
  });

await run(`@openai/agents, ${process.argv[2]}`, {
  async chat() {
    const { finalOutput } = await runAgent(plain(), ask.hello);
    assert.equal(finalOutput, said.hello);
  },
  async streaming() {
    const result = await runAgent(plain(), ask.count, { stream: true });
    const pieces = await Array.fromAsync(result.toTextStream());
    await result.completed;
    assert.equal(pieces.join(''), said.count);
    assert.ok(pieces.length > 1);
  },
  async 'two tools'() {
    const functions = tools();
    const result = await runAgent(withTools(functions), ask.wear, { stream: true });
    await result.completed;
    assert.equal(result.finalOutput, said.wear);
    assert.deepEqual(functions.called, loopCalls);
  },
  async 'structured output'() {
    const outputType = { type: 'json_schema', name: 'place', strict: true, schema: schemas.tower };
    const { finalOutput } = await runAgent(plain({ outputType }), ask.tower);
    assert.deepEqual(finalOutput, said.tower);
  },
  async 'parallel calls'() {
    const functions = tools();
    const { finalOutput } = await runAgent(withTools(functions), ask.compare);
    assert.equal(finalOutput, said.compare);
    assert.deepEqual(functions.called, parallelCalls);
  },
  async errors() {
    await assert.rejects(runAgent(plain({ model: 'other' }), ask.hello), /'other' does not exist/);
  },
  async abort() {
    const gone = new AbortController();
    const result = await runAgent(plain(), ask.sing, { stream: true, signal: gone.signal });
    for await (const event of result) if (event.data?.type === 'output_text_delta') break;
    gone.abort();
    await serverIsIdle();
  },
  async 'retry after 429'() {
    assert.equal((await retries(() => runAgent(plain(), ask.hello))).finalOutput, said.hello);
  },
});
