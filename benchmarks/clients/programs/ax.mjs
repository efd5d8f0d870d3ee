import assert from 'node:assert/strict';
import { ai, ax } from '@ax-llm/ax';
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

const service = (name) => ai({ name: 'openai', apiKey: 'none', apiURL: `${origin}/v1`, config: { model: name } });
const llm = service(model);
const prompt = (content) => ({ chatPrompt: [{ role: 'user', content }] });
const functions = ['get_weather', 'get_clothes'].map((name) => ({
  name,
  description: name,
  parameters: schemas[name.slice(4)],
}));

async function textOf(answer) {
  if (!(answer instanceof ReadableStream)) return answer.results[0].content;
  const pieces = await Array.fromAsync(answer);
  return pieces.map(({ results }) => results[0]?.content ?? '').join('');
}

/** Calls tools until an answer has none. */
async function loop(question, own) {
  const chatPrompt = [{ role: 'user', content: question }];
  for (;;) {
    const { results } = await llm.chat({ chatPrompt, functions }, { stream: false });
    const [{ content, functionCalls = [] }] = results;
    if (functionCalls.length === 0) return content;
    chatPrompt.push({ role: 'assistant', content, functionCalls });
    for (const { id, function: called } of functionCalls) {
      const args = typeof called.params === 'string' ? JSON.parse(called.params) : called.params;
      chatPrompt.push({ role: 'function', functionId: id, result: own[called.name](args) });
    }
  }
}

await run('@ax-llm/ax', {
  async chat() {
    assert.equal(await textOf(await llm.chat(prompt(ask.hello), { stream: false })), said.hello);
    const { reply } = await ax('question:string -> reply:string').forward(
      llm,
      { question: ask.hello },
      { stream: false },
    );
    assert.equal(reply, said.hello);
  },
  async streaming() {
    assert.equal(await textOf(await llm.chat(prompt(ask.count), { stream: true })), said.count);
  },
  async 'two tools'() {
    const own = tools();
    assert.equal(await loop(ask.wear, own), said.wear);
    assert.deepEqual(own.called, loopCalls);
  },
  async 'structured output'() {
    const responseFormat = { type: 'json_schema', schema: { name: 'place', strict: true, schema: schemas.tower } };
    const answer = await llm.chat({ ...prompt(ask.tower), responseFormat }, { stream: false });
    assert.deepEqual(JSON.parse(await textOf(answer)), said.tower);
  },
  async 'parallel calls'() {
    const own = tools();
    assert.equal(await loop(ask.compare, own), said.compare);
    assert.deepEqual(own.called, parallelCalls);
  },
  async errors() {
    await assert.rejects(service('other').chat(prompt(ask.hello), { stream: false }), /404|does not exist/);
  },
  async abort() {
    const gone = new AbortController();
    const stream = await llm.chat(prompt(ask.sing), { stream: true, abortSignal: gone.signal });
    for await (const _ of stream) break;
    gone.abort();
    await serverIsIdle();
  },
  async 'retry after 429'() {
    assert.equal(await textOf(await retries(() => llm.chat(prompt(ask.hello), { stream: false }))), said.hello);
  },
});
