// Makes the requests of load-test.ts: a mixture from many clients, some of them broken or hostile, and the requests that take a
// server longest.
import { protobuf, type Rng } from '@bowyer/core';
import { dtypes, forwardBackwardRequest } from '@bowyer/tinker';

export interface Sent {
  method?: 'GET' | 'POST';
  path: string;
  body?: string | Uint8Array;
  /** The header Content-Type; JSON's if not given. */
  type?: string;
  /** The client disconnects this many milliseconds after the request. */
  leavesAfterMs?: number;
}

const words = 'is it bigger than a bread box or a dog ? '.split(' ');
const sentence = (rng: Rng, count: number) =>
  Array.from({ length: count }, () => words[rng.integer(0, words.length - 1)]).join(' ');

const completion = (body: object, more: Partial<Sent> = {}): Sent => ({
  path: '/v1/completions',
  body: JSON.stringify({ max_tokens: 2, ...body }),
  ...more,
});
const chat = (body: object): Sent => ({
  path: '/v1/chat/completions',
  body: JSON.stringify({ max_tokens: 2, ...body }),
});
const response = (body: object): Sent => ({
  path: '/v1/responses',
  body: JSON.stringify({ max_output_tokens: 16, ...body }),
});
const message = (path: string, body: object): Sent => ({
  path: `/v1/messages${path}`,
  body: JSON.stringify({ model: 'tiny', ...(path === '' && { max_tokens: 2 }), ...body }),
});
const user = (content: string) => ({ role: 'user', content });
const long = (characters: number) =>
  words
    .join(' ')
    .repeat(Math.ceil(characters / 40))
    .slice(0, characters);
const many = <Item>(count: number, make: (i: number) => Item) => Array.from({ length: count }, (_, i) => make(i));
const byNumber = (count: number, value: unknown) => Object.fromEntries(many(count, (i) => [String(i), value]));

const parts = (count: number, type: string) => many(count, () => ({ type, text: 'is it ' }));
const calledTool = (i: number, content: string) => [
  {
    role: 'assistant',
    tool_calls: [{ id: `call_${i}`, type: 'function', function: { name: 'f', arguments: '{"a": [1, 2]}' } }],
  },
  { role: 'tool', tool_call_id: `call_${i}`, content },
];

const digits = (count: number) => many(count, (i) => i % 10);

/** The heaviest requests of models, to be sent one at a time; each must be answered or refused with an explanation. */
export const modelCases: Readonly<Record<string, Sent>> = {
  'a short prompt': completion({ prompt: 'is it' }),
  'a prompt of 0.03 MB': completion({ prompt: long(2 ** 15) }),
  'a prompt of 0.25 MB': completion({ prompt: long(2 ** 18) }),
  'a prompt of 0.5 MB': completion({ prompt: long(2 ** 19) }),
  '0.5 MB of one letter': completion({ prompt: 'a'.repeat(2 ** 19) }),
  '0.5 MB of accents': completion({ prompt: 'e\u0301\u0323'.repeat(2 ** 19 / 3) }),
  '0.5 MB of spaces': completion({ prompt: ' '.repeat(2 ** 19) }),
  'a prompt of 7 MB': completion({ prompt: long(7 * 2 ** 20) }),
  'a body of 40 MB': completion({ prompt: long(40 * 2 ** 20) }),
  '7 MB that are not JSON': { path: '/v1/completions', body: `{"prompt":"${long(7 * 2 ** 20)}` },
  '1,000,000 prompts': completion({ prompt: many(1_000_000, () => 'a') }),
  '24,000 fields': completion({ prompt: 'is', ...byNumber(24_000, 1) }),
  '24,000 biases': completion({ prompt: 'is', logit_bias: byNumber(24_000, 1) }),
  '240,000 stop tokens': completion({ prompt: 'is', stop_token_ids: many(240_000, (i) => i % 32_000) }),
  '240,000 token ids': completion({ prompt: many(240_000, (i) => i % 32_000) }),
  '240,000 digits': completion({ prompt: digits(240_000) }),
  '3,000 token ids, 64 tokens': completion({ prompt: many(3_000, (i) => i), max_tokens: 64, stream: true }),
  '3,000 token ids, echoed': completion({ prompt: many(3_000, (i) => i), echo: true }),
  '3,000 token ids, scored': completion({ prompt: many(3_000, (i) => i), max_tokens: 0, echo: true, logprobs: 0 }),
  '2,000 messages': chat({ messages: many(2_000, () => user('is it')) }),
  '2,000 messages of 200 characters': chat({ messages: many(2_000, () => user(long(200))) }),
  '1 MB of arguments': chat({
    messages: [
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: JSON.stringify({ a: long(2 ** 20) }) } }],
      },
    ],
  }),
  'arguments of 200,000 numbers': chat({
    messages: [
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: `[${'1,'.repeat(200_000)}1]` } }],
      },
    ],
  }),
  '2,000 tools': chat({
    messages: [user('is it')],
    tools: many(2_000, (i) => ({ type: 'function', function: { name: `f${i}` } })),
  }),
  '1,000 answers': completion({ prompt: 'is', n: 1_000 }),
  'an answer of 2,000 tokens': completion({ prompt: 'is', max_tokens: 2_000, stream: true, ignore_eos: true }),
  '36 prompts of 800 tokens, scored': completion({
    prompt: many(36, (p) => many(800, (i) => p + i)),
    max_tokens: 0,
    echo: true,
    logprobs: 0,
  }),
  '36 texts of 4,000 characters, echoed': completion({ prompt: many(36, () => long(4_000)), echo: true }),
  'an answer of 2,000 tokens with their 5 likeliest': completion({
    prompt: 'is',
    max_tokens: 2_000,
    ignore_eos: true,
    logprobs: 5,
  }),
  'a chat of 2,000 tokens with their 20 likeliest': chat({
    messages: [user('is it')],
    max_tokens: 2_000,
    ignore_eos: true,
    logprobs: true,
    top_logprobs: 20,
  }),
  'a response of 2,000 tokens with their 20 likeliest, streamed': response({
    input: 'is it',
    max_output_tokens: 2_000,
    top_logprobs: 20,
    include: ['message.output_text.logprobs'],
    stream: true,
  }),
  'a response of 2,000 tokens with their 20 likeliest': response({
    input: 'is it',
    max_output_tokens: 2_000,
    top_logprobs: 20,
    include: ['message.output_text.logprobs'],
  }),
  'a message of 8,000 parts': chat({ messages: [{ role: 'user', content: parts(8_000, 'text') }] }),
  'a response to 8,000 parts': response({ input: [{ role: 'user', content: parts(8_000, 'input_text') }] }),
  'a response to 2,000 items': response({ input: many(2_000, () => user('is it')) }),
  '8,000 blocks, counted': message('/count_tokens', { messages: [{ role: 'user', content: parts(8_000, 'text') }] }),
  'a message to 8,000 blocks': message('', { messages: [{ role: 'user', content: parts(8_000, 'text') }] }),
  '0.5 MB, counted': message('/count_tokens', { messages: [user(long(2 ** 19))] }),
  '7 MB, counted': message('/count_tokens', { messages: [user(long(7 * 2 ** 20))] }),
  '1,000 results of tools': chat({ messages: many(1_000, (i) => calledTool(i, long(100))).flat() }),
  'a result of a tool of 0.4 MB': chat({ messages: calledTool(0, long(400_000)) }),
  'a schema of 4,000 fields': chat({
    messages: [user('is it')],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 's', schema: { type: 'object', properties: byNumber(4_000, { type: 'string' }) } },
    },
  }),
};

const tinker = (path: string, body: object | Buffer): Sent => ({
  path: `/api/v1/${path}`,
  body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
  ...(Buffer.isBuffer(body) && { type: 'application/x-protobuf' }),
});
const ofTokens = (tokens: unknown[]) => ({ chunks: [{ type: 'encoded_text', tokens }] });
const tensor = (data: number[], dtype: string) => ({ data, dtype, shape: [data.length] });
const datum = (ids: number[]) => ({
  model_input: ofTokens(ids),
  loss_fn_inputs: { target_tokens: tensor(ids, 'int64'), weights: tensor(ids, 'float32') },
});
const pairs = (pair: readonly [number, number], count: number) => Buffer.alloc(2 * count).fill(Uint8Array.from(pair));

/** Makes bodies of 5 to 30 MB for `serve_tinker`, with a model's sequence numbers 1, 2, … */
export function tinkerCases(model_id: string): Readonly<Record<string, Sent>> {
  const forward = (seq_id: number, data: unknown[]) =>
    tinker('forward', { model_id, seq_id, forward_input: { data, loss_fn: 'cross_entropy' } });
  const message = (seqId: number, data: object[]) =>
    tinker(
      'forward_backward',
      Buffer.from(protobuf.encode(forwardBackwardRequest, { modelId: model_id, seqId, data, lossFn: 'cross_entropy' })),
    );
  const int64 = { dense: new Uint8Array(8 * 625_000), dtype: dtypes.int64, shape: [625_000] };
  const bfloat16 = { dense: new Uint8Array(2 * 2_500_000), dtype: dtypes.bfloat16, shape: [2_500_000] };
  const modelInput = [{ encodedText: { tokens: new Uint8Array(4 * 625_000) } }];
  return {
    '30 tokens': forward(1, [datum(digits(30))]),
    'a datum of 800,000 tokens': forward(2, [datum(digits(800_000))]),
    '1,000 datums of 800 tokens': forward(
      3,
      many(1_000, () => datum(digits(800))),
    ),
    '1,000 datums of 100 tokens, which are scored': forward(
      4,
      many(1_000, () => datum(digits(100))),
    ),
    '2,500,000 tokens, the last of which is a text': forward(5, [datum(digits(2_500_000)), datum([])]),
    'a prompt of 2,500,000 tokens': tinker('asample', { base_model: 'tiny', prompt: ofTokens(digits(2_500_000)) }),
    'a prompt of 2,500,000 tokens, and a text': tinker('asample', {
      base_model: 'tiny',
      prompt: ofTokens([...digits(2_500_000), 'x']),
    }),
    '400,000 fields': tinker('optim_step', { model_id, seq_id: 6, ...byNumber(400_000, 1) }),
    '190,000 fields': tinker('optim_step', { model_id, seq_id: 6, ...byNumber(190_000, 1) }),
    '2,500,000 tags': tinker('create_session', { tags: many(2_500_000, () => ''), sdk_version: '' }),
    'a tensor of 625,000 int64': message(7, [{ modelInput, lossFnInputs: { target_tokens: int64 } }]),
    'a tensor of 2,500,000 bfloat16': message(8, [{ modelInput, lossFnInputs: { target_tokens: bfloat16 } }]),
    '2,500,000 empty datums': tinker('forward_backward', pairs([0x1a, 0], 2_500_000)),
    '2,500,000 empty entries of a map': tinker('forward_backward', pairs([0x2a, 0], 2_500_000)),
  };
}

const invalid: readonly Sent[] = [
  completion({ prompt: 'is it', temperature: 9 }),
  completion({ prompt: [], max_tokens: -1 }),
  completion({ prompt: [1e9] }),
  completion({ prompt: 'is it', model: 'another' }),
  chat({ messages: [] }),
  chat({ messages: [{ role: 'nobody', content: 'is it' }] }),
  { path: '/v1/completions', body: '{"prompt": "is it' },
  { path: '/v1/nothing', body: '{}' },
  { path: '//', method: 'GET' },
];
const huge = ['a prompt of 0.25 MB', '0.5 MB of one letter', 'a prompt of 7 MB', '240,000 token ids'];

export function modelRequests(rng: Rng): Sent {
  const kind = rng.uniform();
  const short = { prompt: sentence(rng, 4), max_tokens: rng.uniform() < 0.8 ? 1 : 3 }; // most of a server's CPU time is decoding
  if (kind < 0.7) return completion(short);
  if (kind < 0.8) return chat({ messages: [user(sentence(rng, 6))], stream: rng.uniform() < 0.5 });
  if (kind < 0.85)
    return completion({ ...short, max_tokens: 200, stream: true }, { leavesAfterMs: 50 * rng.uniform() });
  if (kind < 0.95) return invalid[rng.integer(0, invalid.length - 1)];
  if (kind < 0.995) return completion({ ...short, echo: true, logprobs: 0, max_tokens: 0 });
  if (kind < 0.9999) return modelCases[huge[rng.integer(0, huge.length - 1)]];
  return modelCases['2,000 messages']; // reading 14,000 tokens takes seconds, even with this model
}

const post = (path: string, body: object, more: Partial<Sent> = {}): Sent => ({
  path,
  body: JSON.stringify(body),
  ...more,
});

/** Draws a request: instances are created, played and closed, and some ids do not exist. */
export function envRequests(rng: Rng): Sent {
  const kind = rng.uniform();
  const id = rng.integer(0, 999);
  if (kind < 0.05) return post('/create', {});
  if (kind < 0.08) return post('/close', { id });
  if (kind < 0.25) return post('/reset', { id, data_idx: rng.integer(0, 99) });
  if (kind < 0.8) return post('/step', { id, action: `Is it a ${sentence(rng, 1)}?` });
  if (kind < 0.85) return post('/step', { id, action: long(2 ** 16) });
  if (kind < 0.9) return post('/step', { id, action: 'is it' }, { leavesAfterMs: 5 * rng.uniform() });
  if (kind < 0.93) return post('/step', { id: 'none' });
  if (kind < 0.96) return { path: '/step', body: '{"id": 0, "act' };
  if (kind < 0.97) return post('/step', { id, action: long(2 * 2 ** 20) });
  return { method: 'GET', path: `/observation?id=${id}` };
}
