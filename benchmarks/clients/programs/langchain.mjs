// LangChain.js over Chat Completions, and over Responses: node langchain.mjs chat|responses
import assert from 'node:assert/strict';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
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

const useResponsesApi = process.argv[2] === 'responses';
const given = { apiKey: 'none', configuration: { baseURL: `${origin}/v1` }, useResponsesApi };
const chat = new ChatOpenAI({ ...given, model });
const textOf = (message) => message.text;

async function loop(question, functions, ask) {
  const own = ['get_weather', 'get_clothes'].map((name) =>
    tool((args) => functions[name](args), { name, description: name, schema: schemas[name.slice(4)] }),
  );
  const bound = chat.bindTools(own);
  const messages = [new HumanMessage(question)];
  for (;;) {
    const message = await ask(bound, messages);
    messages.push(message);
    if (!message.tool_calls?.length) return textOf(message);
    for (const call of message.tool_calls) {
      const result = await own.find(({ name }) => name === call.name).invoke(call);
      messages.push(
        result instanceof ToolMessage ? result : new ToolMessage({ content: result, tool_call_id: call.id }),
      );
    }
  }
}

await run(`@langchain/openai, ${process.argv[2]}`, {
  async chat() {
    const message = await chat.invoke(ask.hello);
    assert.ok(message instanceof AIMessage);
    assert.equal(textOf(message), said.hello);
    assert.ok(message.usage_metadata.input_tokens > 0);
  },
  async streaming() {
    const pieces = await Array.fromAsync(await chat.stream(ask.count));
    assert.equal(pieces.map(textOf).join(''), said.count);
    assert.ok(pieces.length > 1);
  },
  async 'two tools'() {
    const functions = tools();
    const streamed = async (bound, messages) => {
      const pieces = await Array.fromAsync(await bound.stream(messages));
      return pieces.reduce((whole, piece) => whole.concat(piece));
    };
    assert.equal(await loop(ask.wear, functions, streamed), said.wear);
    assert.deepEqual(functions.called, loopCalls);
  },
  async 'structured output'() {
    const structured = chat.withStructuredOutput(schemas.tower, { name: 'place', method: 'jsonSchema', strict: true });
    assert.deepEqual(await structured.invoke(ask.tower), said.tower);
  },
  async 'parallel calls'() {
    const functions = tools();
    assert.equal(await loop(ask.compare, functions, (bound, messages) => bound.invoke(messages)), said.compare);
    assert.deepEqual(functions.called, parallelCalls);
  },
  async errors() {
    const other = new ChatOpenAI({ ...given, model: 'other' });
    await assert.rejects(
      other.invoke(ask.hello),
      (error) => error.status === 404 && /'other' does not exist/.test(error.message),
    );
  },
  async abort() {
    const gone = new AbortController();
    const stream = await chat.stream(ask.sing, { signal: gone.signal });
    for await (const _ of stream) break;
    gone.abort();
    await serverIsIdle();
  },
  async 'retry after 429'() {
    assert.equal(textOf(await retries(() => chat.invoke(ask.hello))), said.hello);
  },
});
