import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
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

const client = new Anthropic({ baseURL: origin, apiKey: 'none' });
const user = (content) => [{ role: 'user', content }];
const limits = { model, max_tokens: 200 };
const textOf = ({ content }) => content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const own = ['get_weather', 'get_clothes'].map((name) => ({ name, input_schema: schemas[name.slice(4)] }));

async function loop(question, called, create) {
  const messages = user(question);
  for (;;) {
    const message = await create({ ...limits, messages, tools: own });
    if (message.stop_reason !== 'tool_use') return textOf(message);
    messages.push({ role: 'assistant', content: message.content });
    const results = message.content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ type: 'tool_result', tool_use_id: id, content: called[name](input) }));
    messages.push({ role: 'user', content: results });
  }
}

await run('@anthropic-ai/sdk', {
  async chat() {
    const message = await client.messages.create({ ...limits, system: 'Be kind.', messages: user(ask.hello) });
    assert.equal(textOf(message), said.hello);
    assert.equal(message.stop_reason, 'end_turn');
    const { input_tokens } = await client.messages.countTokens({ model, messages: user(ask.hello) });
    const { usage } = message;
    assert.equal(usage.input_tokens + usage.cache_read_input_tokens, input_tokens);
    const stopped = await client.messages.create({ ...limits, messages: user(ask.count), stop_sequences: [' five'] });
    assert.deepEqual([textOf(stopped), stopped.stop_sequence], ['one two three four', ' five']);
    const thinking = await client.messages.create({ ...limits, messages: user('Think.') });
    assert.deepEqual(
      thinking.content.map(({ type }) => type),
      ['thinking', 'text'],
    );
    assert.equal((await client.models.list()).data[0].id, model);
  },
  async streaming() {
    const stream = client.messages.stream({ ...limits, messages: user(ask.count) });
    let pieces = 0;
    stream.on('text', () => pieces++);
    const message = await stream.finalMessage();
    assert.equal(textOf(message), said.count);
    assert.ok(pieces > 1 && message.usage.output_tokens > 1);
  },
  async 'two tools'() {
    const called = tools();
    assert.equal(await loop(ask.wear, called, (body) => client.messages.stream(body).finalMessage()), said.wear);
    assert.deepEqual(called.called, loopCalls);
  },
  async 'structured output'() {
    const output_config = { format: { type: 'json_schema', schema: schemas.tower } };
    const message = await client.messages.create({ ...limits, messages: user(ask.tower), output_config });
    assert.deepEqual(JSON.parse(textOf(message)), said.tower);
  },
  async 'parallel calls'() {
    const called = tools();
    assert.equal(await loop(ask.compare, called, (body) => client.messages.create(body)), said.compare);
    assert.deepEqual(called.called, parallelCalls);
    const runnable = tools();
    const tool = ({ name, input_schema }) => ({ name, input_schema, run: runnable[name], parse: (input) => input });
    const runner = client.beta.messages.toolRunner({ ...limits, messages: user(ask.compare), tools: own.map(tool) });
    assert.equal(textOf(await runner), said.compare);
    assert.deepEqual(runnable.called, parallelCalls);
  },
  async errors() {
    const other = client.messages.create({ ...limits, model: 'other', messages: user(ask.hello) });
    await assert.rejects(other, (error) => {
      assert.ok(error instanceof Anthropic.NotFoundError);
      assert.equal(error.error.error.type, 'not_found_error');
      assert.match(error.requestID, /^req_/);
      return true;
    });
    const image = [{ type: 'image', source: { type: 'url', url: 'http://localhost/a.png' } }];
    await assert.rejects(client.messages.create({ ...limits, messages: user(image) }), Anthropic.BadRequestError);
  },
  async abort() {
    const stream = await client.messages.create({ ...limits, max_tokens: 900, messages: user(ask.sing), stream: true });
    for await (const event of stream) if (event.type === 'content_block_delta') break;
    await serverIsIdle();
  },
  async 'retry after 429'() {
    const message = await retries(() => client.messages.create({ ...limits, messages: user(ask.hello) }));
    assert.equal(textOf(message), said.hello);
  },
});
