import assert from 'node:assert/strict';
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

const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'none' });
const messages = [{ role: 'user', content: ask.hello }];

function runnable(own) {
  return ['get_weather', 'get_clothes'].map((name) => ({
    type: 'function',
    function: { name, parse: JSON.parse, function: (args) => own[name](args), parameters: schemas[name.slice(4)] },
  }));
}

await run('openai, chat', {
  async chat() {
    const { choices, usage } = await client.chat.completions.create({ model, messages });
    assert.equal(choices[0].message.content, said.hello);
    assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0);
  },
  async streaming() {
    const stream = client.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: ask.count }],
      stream_options: { include_usage: true },
    });
    let pieces = 0;
    stream.on('content.delta', () => pieces++);
    assert.equal(await stream.finalContent(), said.count);
    assert.ok(pieces > 1);
    assert.ok((await stream.totalUsage()).completion_tokens > 1);
  },
  async 'two tools'() {
    const own = tools();
    const runner = client.chat.completions.runTools({
      model,
      messages: [{ role: 'user', content: ask.wear }],
      tools: runnable(own),
    });
    assert.equal(await runner.finalContent(), said.wear);
    assert.deepEqual(own.called, loopCalls);
  },
  async 'structured output'() {
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'place', schema: schemas.tower, strict: true },
    };
    const { choices } = await client.chat.completions.parse({
      model,
      messages: [{ role: 'user', content: ask.tower }],
      response_format,
    });
    assert.deepEqual(JSON.parse(choices[0].message.content), said.tower);
  },
  async 'parallel calls'() {
    const own = tools();
    const given = { model, messages: [{ role: 'user', content: ask.compare }], tools: runnable(own), stream: true };
    const runner = client.chat.completions.runTools(given);
    assert.equal(await runner.finalContent(), said.compare);
    assert.deepEqual(own.called, parallelCalls);
  },
  async errors() {
    await assert.rejects(client.chat.completions.create({ model: 'other', messages }), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.equal(error.code, 'model_not_found');
      return true;
    });
    await assert.rejects(client.chat.completions.create({ model, messages, temperature: 9 }), OpenAI.BadRequestError);
  },
  async abort() {
    const stream = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: ask.sing }],
      stream: true,
    });
    for await (const _ of stream) break;
    await serverIsIdle();
  },
  async 'retry after 429'() {
    const { choices } = await retries(() => client.chat.completions.create({ model, messages }));
    assert.equal(choices[0].message.content, said.hello);
  },
});
