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
const functions = ['get_weather', 'get_clothes'].map((name) => ({
  type: 'function',
  name,
  parameters: schemas[name.slice(4)],
  strict: false,
}));

/** Continues from response to response until one calls no tool. */
async function loop(input, own, create) {
  let response = await create({ model, input, tools: functions });
  for (;;) {
    const calls = response.output.filter(({ type }) => type === 'function_call');
    if (calls.length === 0) return response.output_text;
    const results = calls.map(({ call_id, name, arguments: args }) => ({
      type: 'function_call_output',
      call_id,
      output: own[name](JSON.parse(args)),
    }));
    response = await create({ model, input: results, tools: functions, previous_response_id: response.id });
  }
}

await run('openai, responses', {
  async chat() {
    const first = await client.responses.create({ model, input: ask.hello, instructions: 'Be kind.' });
    assert.equal(first.output_text, said.hello);
    const second = await client.responses.create({ model, input: ask.count, previous_response_id: first.id });
    assert.equal(second.output_text, said.count);
    assert.ok(second.usage.input_tokens > first.usage.input_tokens);
    const items = await client.responses.inputItems.list(second.id);
    assert.equal(items.data[0].content[0].text, ask.count);
    assert.equal((await client.responses.retrieve(first.id)).output_text, said.hello);
    await client.responses.delete(first.id);
    await assert.rejects(client.responses.retrieve(first.id), OpenAI.NotFoundError);
    const { input_tokens } = await client.responses.inputTokens.count({ model, input: ask.hello });
    assert.equal(input_tokens, first.usage.input_tokens);
  },
  async streaming() {
    const stream = client.responses.stream({ model, input: ask.count });
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    assert.equal(text, said.count);
    const last = await stream.finalResponse();
    assert.equal(last.output_text, said.count);
    assert.equal(last.status, 'completed');
    const cut = await client.responses.create({ model, input: ask.count, max_output_tokens: 3 });
    assert.deepEqual([cut.status, cut.incomplete_details.reason], ['incomplete', 'max_output_tokens']);
  },
  async 'two tools'() {
    const own = tools();
    const streamed = (body) => client.responses.stream(body).finalResponse();
    assert.equal(await loop(ask.wear, own, streamed), said.wear);
    assert.deepEqual(own.called, loopCalls);
  },
  async 'structured output'() {
    const format = { type: 'json_schema', name: 'place', schema: schemas.tower, strict: true };
    const { output_parsed } = await client.responses.parse({ model, input: ask.tower, text: { format } });
    assert.deepEqual(output_parsed, said.tower);
  },
  async 'parallel calls'() {
    const own = tools();
    assert.equal(await loop(ask.compare, own, (body) => client.responses.create(body)), said.compare);
    assert.deepEqual(own.called, parallelCalls);
  },
  async errors() {
    await assert.rejects(client.responses.create({ model: 'other', input: ask.hello }), OpenAI.NotFoundError);
    const background = client.responses.create({ model, input: ask.hello, background: true });
    await assert.rejects(
      background,
      (error) => error instanceof OpenAI.BadRequestError && error.param === 'background',
    );
  },
  async abort() {
    const stream = await client.responses.create({ model, input: ask.sing, stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    await serverIsIdle();
  },
  async 'retry after 429'() {
    assert.equal((await retries(() => client.responses.create({ model, input: ask.hello }))).output_text, said.hello);
  },
});
