// Tests Responses and Messages over HTTP, with a model of random weights: structures that hold whatever it says.
import { sendJson } from '@bowyer/testing';
import { characterTemplate, characterTokenizer, tinyServer } from './tiny-server.js';

const server = await tinyServer({
  apiKey: 'secret',
  maxQueued: 8,
  splitsMessages: true,
  storage: { responses: 2, bytes: 100_000 },
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
});

const ask = (path: string, json?: object, method?: string) =>
  // oxlint-disable-next-line typescript/no-explicit-any
  sendJson<any>(new URL(path, server.url), json, { headers: { 'x-api-key': 'secret' }, method });
const read = async (...given: Parameters<typeof ask>) => (await ask(...given)).body;
const eventsOf = (text: string) =>
  text
    .trim()
    .split('\n\n')
    .map((block) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/s.exec(block)!;
      return { name, data: JSON.parse(data) as { type: string; sequence_number?: number; delta?: unknown } };
    });

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };

describe('responses', () => {
  const create = (more: object) => read('/v1/responses', { model: 'tiny', max_output_tokens: 6, ...more });

  test('a stream’s events are numbered, added up they are the response, and it can be read again', async () => {
    const { text } = await ask('/v1/responses', { input: 'is', stream: true, max_output_tokens: 6 });
    const events = eventsOf(text);
    expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, i) => i));
    for (const { name, data } of events) expect(name).toBe(data.type);
    const names = events.map(({ name }) => name.replace('response.', ''));
    expect(names.slice(0, 4)).toEqual(['created', 'in_progress', 'output_item.added', 'content_part.added']);
    expect(names.slice(-4)).toEqual([
      'output_text.done',
      'content_part.done',
      'output_item.done',
      expect.stringMatching(/^(completed|incomplete)$/),
    ]);
    const deltas = events.filter(({ name }) => name === 'response.output_text.delta').map(({ data }) => data.delta);
    // oxlint-disable-next-line typescript/no-explicit-any
    const { response } = events.at(-1)!.data as any;
    expect(response.output[0].content[0].text).toBe(deltas.join(''));
    expect(await read(`/v1/responses/${response.id}`)).toEqual(response);
  });

  test('a response continues another, whose items count with its own; the oldest is forgotten', async () => {
    const first = await create({ input: 'is' });
    const second = await create({ input: 'no', previous_response_id: first.id });
    const said = first.output[0];
    const whole = await create({
      input: [
        { role: 'user', content: 'is' },
        { type: 'item_reference', id: said.id },
        { role: 'user', content: 'no' },
      ],
    });
    expect(whole.usage.input_tokens).toBe(second.usage.input_tokens);
    const { data } = await read(`/v1/responses/${second.id}/input_items`);
    expect(data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'no' }] }]);
    const gone = await ask('/v1/responses', { input: 'a', previous_response_id: first.id });
    expect([gone.status, JSON.parse(gone.text).error.code]).toEqual([400, 'previous_response_not_found']);
    expect(await read(`/v1/responses/${second.id}`, undefined, 'DELETE')).toMatchObject({ deleted: true });
    expect((await ask(`/v1/responses/${second.id}`)).status).toBe(404);
  });

  test.each([
    [{ background: true }, 'background'],
    [{ tools: [{ type: 'file_search' }] }, 'tools[0].type'],
    [{ input: [{ type: 'computer_call' }] }, 'input[0].type'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0].type'],
    [{ instrutions: 'x' }, 'instrutions'],
    [{ text: { format: { type: 'json_schema', schema: { not: {} } } } }, 'text.format'],
  ])('%j is refused by its name', async (more, param) => {
    const { error } = await create({ input: 'is', ...more });
    expect([error.type, error.param]).toEqual(['invalid_request_error', param]);
  });

  test('a field of a newer client is ignored, and listed', async () => {
    const { status, headers } = await ask('/v1/responses', { input: 'is', quantum_mode: true, max_output_tokens: 1 });
    expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'quantum_mode']);
  });

  test('cancel, compact and WebSocket are refused', async () => {
    for (const [path, method] of [
      ['/v1/responses/x/cancel', 'POST'],
      ['/v1/responses/compact', 'POST'],
      ['/v1/responses', 'GET'],
    ])
      expect((await ask(path, method === 'POST' ? {} : undefined, method)).status).toBe(400);
  });
});

describe('messages', () => {
  const messages = [{ role: 'user', content: 'is' }];
  const create = (more: object) => read('/v1/messages', { max_tokens: 6, messages, ...more });

  test('a stream’s blocks begin, grow and end in order', async () => {
    const { text, headers } = await ask('/messages', { max_tokens: 6, messages, stream: true });
    const events = eventsOf(text);
    expect(headers.get('request-id')).toMatch(/^req_/);
    expect(events.slice(0, 3).map(({ name }) => name)).toEqual(['message_start', 'ping', 'content_block_start']);
    expect(events.slice(-3).map(({ name }) => name)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
  });

  test('blocks are written as messages: what one text says, blocks say too', async () => {
    const count = async (given: object) => (await read('/v1/messages/count_tokens', given)).input_tokens as number;
    const blocks = [{ role: 'user', content: [{ type: 'text', text: 'is', cache_control: { type: 'ephemeral' } }] }];
    expect(await count({ messages: blocks })).toBe(await count({ messages }));
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'no', is_error: true };
    const dialogue = [
      ...messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [result, { type: 'text', text: 'x' }] },
    ];
    const plain = {
      role: 'user',
      content: [
        { ...result, is_error: false },
        { type: 'text', text: 'x' },
      ],
    };
    expect((await count({ messages: dialogue })) - (await count({ messages: [...dialogue.slice(0, 2), plain] }))).toBe(
      characterTokenizer.encode('Error: ').length,
    );
  });

  test('a limit beyond the context gives way to it', async () => {
    const { stop_reason: reason } = await create({ max_tokens: 100_000 });
    expect(['end_turn', 'model_context_window_exceeded']).toContain(reason);
  });

  test.each([
    [{ messages: [{ role: 'user', content: [{ type: 'image' }] }] }, /'image', which cannot be read/],
    [{ tools: [{ type: 'web_search_20260209', name: 'w' }] }, /a tool that a server runs/],
    [{ max_tokens: null }, /'max_tokens' is missing/],
    [{ context_management: { edits: [{ type: 'compact_20260112' }] } }, /'compact_20260112'/],
  ])('%j is refused', async (more, problem) => {
    const { type, error } = await create(more);
    expect([type, error.type]).toEqual(['error', 'invalid_request_error']);
    expect(error.message).toMatch(problem);
  });

  test('another model is not found, and a wrong key is an authentication error', async () => {
    expect((await create({ model: 'other' })).error.type).toBe('not_found_error');
    const response = await fetch(new URL('/v1/messages', server.url), {
      method: 'POST',
      headers: { 'x-api-key': 'no' },
    });
    expect([response.status, await response.json()]).toMatchObject([401, { error: { type: 'authentication_error' } }]);
    const headers = { 'x-api-key': 'secret', 'anthropic-version': '2023-06-01' };
    const model = await fetch(new URL('/v1/models/other', server.url), { headers });
    expect([model.status, await model.json()]).toMatchObject([
      404,
      { type: 'error', error: { type: 'not_found_error' } },
    ]);
  });

  test('a block of text has no `citations`: @ai-sdk/anthropic 3 takes a list or nothing', async () => {
    const { content } = await create({ stop_sequences: [], temperature: 0 });
    expect(content.length).toBeGreaterThan(0);
    for (const block of content) expect(Object.keys(block)).toEqual(['type', 'text']);
  });

  test('a thread is refused so that tool runners of the SDK send all messages themselves', async () => {
    const { error } = await create({ thread: { type: 'create' } });
    expect(error.message).toBe("'thread' is not supported by this server; send all messages");
    expect(error.details).toEqual({ error_code: 'thread_unsupported_request', unsupported: ['thread'] });
  });
});

describe('answers of random weights are held to what a request asks for', () => {
  const tool = { name: 'add', parameters: schema };
  const isAnswer = (value: unknown) => expect(value).toEqual({ a: expect.any(Number) });

  test('a schema, in three protocols', async () => {
    const text = { format: { type: 'json_schema', name: 'x', schema } };
    const response = await read('/v1/responses', { input: 'is', text, max_output_tokens: 40 });
    isAnswer(JSON.parse(response.output[0].content[0].text));
    const output_config = { format: { type: 'json_schema', schema } };
    const messages = [{ role: 'user', content: 'is' }];
    const message = await read('/v1/messages', { messages, output_config, max_tokens: 40 });
    isAnswer(JSON.parse(message.content[0].text));
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    const chat = await read('/v1/chat/completions', { messages, response_format, max_tokens: 40, logprobs: true });
    const [{ message: said, logprobs }] = chat.choices;
    isAnswer(JSON.parse(said.content));
    for (const { logprob, masked_logprob: masked } of logprobs.content)
      expect(masked).toBeGreaterThanOrEqual(logprob - 1e-4);
  });

  test('a forced call, by name and in general', async () => {
    const messages = [{ role: 'user', content: 'is' }];
    const tools = [{ type: 'function', function: tool }];
    for (const tool_choice of ['required', { type: 'function', function: { name: 'add' } }]) {
      const given = { messages, tools, tool_choice, max_tokens: 120, parallel_tool_calls: false };
      const [{ message, finish_reason }] = (await read('/v1/chat/completions', given)).choices;
      expect([finish_reason, message.tool_calls[0].function.name]).toEqual(['tool_calls', 'add']);
      isAnswer(JSON.parse(message.tool_calls[0].function.arguments));
    }
    const anthropic = {
      messages,
      tools: [{ name: 'add', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'add' },
    };
    const { content, stop_reason } = await read('/v1/messages', { ...anthropic, max_tokens: 120 });
    expect([stop_reason, content[0].type]).toEqual(['tool_use', 'tool_use']);
    isAnswer(content[0].input);
    const input = { input: 'is', tools: [{ type: 'function', ...tool }], tool_choice: 'required' };
    const { output } = await read('/v1/responses', { ...input, max_output_tokens: 120, parallel_tool_calls: false });
    expect(output[0]).toMatchObject({ type: 'function_call', name: 'add', status: 'completed' });
  });

  test("a tool of a namespace is called by its own name, and a server's search is left out", async () => {
    const tools = [
      { type: 'namespace', name: 'sums', description: 'Sums.', tools: [{ type: 'function', ...tool }] },
      { type: 'web_search', external_web_access: true },
    ];
    const asked = { tools, tool_choice: 'required', parallel_tool_calls: false, max_output_tokens: 120 };
    const { headers, text } = await ask('/v1/responses', { ...asked, input: 'is' });
    const { output } = JSON.parse(text);
    expect(headers.get('x-ignored-fields')).toBe(encodeURI('tools[1]'));
    expect(output[0]).toMatchObject({ type: 'function_call', namespace: 'sums', name: 'add' });
    const { call_id } = output[0];
    const input = [...output, { type: 'function_call_output', call_id, output: '3' }];
    const streamed = (await ask('/v1/responses', { ...asked, input, stream: true })).text;
    expect(streamed).toContain('"namespace":"sums","name":"add"');
    expect(streamed).not.toContain('sums__add');
    const both = [...tools, { type: 'function', ...tool, name: 'sums__add' }];
    const refused = await read('/v1/responses', { ...asked, tools: both, input: 'is' });
    expect(refused.error.message).toBe("'tools' has two tools that are called as 'sums__add'");
  });
});

const other = await tinyServer({
  template: `{% if tools %}{{ tools | tojson }}{% endif %}${characterTemplate}`,
  splitsMessages: true,
});

test('a chat that does not fit is refused with the tokens of its tools', async () => {
  const refusal = async (content: string, tools?: readonly object[]) => {
    const asked = { messages: [{ role: 'user', content }], tools };
    // oxlint-disable-next-line typescript/no-explicit-any
    return (await sendJson<any>(new URL('/v1/chat/completions', other.url), asked)).body.error;
  };
  const tools = [{ type: 'function', function: { name: 'add', description: 'x'.repeat(600) } }];
  const size = JSON.stringify(tools).length + 2 * 3; // Python writes spaces behind colons and commas
  const { message, code } = await refusal('is', tools);
  expect(code).toBe('context_length_exceeded');
  const tokens = Number(/ The tools alone take (\d+) tokens\.$/.exec(message)?.[1]);
  expect(Math.abs(tokens - size)).toBeLessThan(6);
  expect((await refusal('x'.repeat(600))).message).not.toContain('tools');
});

test('an address without /v1 serves the same routes, those with parameters among them', async () => {
  const given = { messages: [{ role: 'user', content: 'is' }], max_tokens: 2 };
  expect(await read('/chat/completions', given)).toMatchObject({ object: 'chat.completion' });
  expect(await read('/completions', { prompt: 'is', max_tokens: 2 })).toMatchObject({ object: 'text_completion' });
  const { id } = await read('/responses', { input: 'is', max_output_tokens: 2 });
  expect(JSON.parse((await ask(`/responses/${id}`)).text)).toMatchObject({ id });
  expect((await ask('/models/tiny')).status).toBe(200);
  for (const path of ['/v2/models/tiny', '/v1/v1/models/tiny', '/tiny']) expect((await ask(path)).status).toBe(404);
});
