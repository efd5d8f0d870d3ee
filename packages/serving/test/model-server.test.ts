// Tests the server over HTTP, with a small model of our own, whose answers are compared with generateTexts.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { generateTexts, LanguageModel } from '@bowyer/models';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { sendJson, tinyLlama } from '@bowyer/testing';
import { SequenceBatcher } from '../src/engine/sequence-batcher.js';
import { ModelServer, type ModelServerOptions } from '../src/model-server/model-server.js';
import { SteppedTokenizer } from '../src/generation/stepped-tokenizer.js';
import { usual } from './tiny-server.js';

const tokenizer = wordLevelTokenizer(['is it a dog or a cat ? yes . no . the big red fox runs over my old house\n']);
const stepped = new SteppedTokenizer(tokenizer);
const config = tinyLlama(96, { num_hidden_layers: 2 });
const jinja = '{% for m in messages %}{{ m.content + (" ?" if m.role == "user" else " .") }}{% endfor %}';

const device = await openDevice({ device: 'cpu', threads: 1 });
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
afterAll(() => device.close());

const faults: Error[] = [];
afterEach(() => expect(faults).toEqual([]));

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  const server = await ModelServer.listen({
    ...usual,
    model,
    tokenizer: stepped,
    template: chatTemplate(jinja, stepped),
    onFault: (error) => faults.push(error),
    ...options,
  });
  open.push(server);
  return server;
}

interface TokenEntry {
  token: string;
  logprob: number;
}

interface Body {
  choices: {
    index: number;
    message: { role: string; content: string };
    text: string;
    finish_reason: string;
    logprobs: {
      content: (TokenEntry & { top_logprobs: TokenEntry[] })[];
      tokens: string[];
      token_logprobs: number[];
      top_logprobs: Record<string, number>[];
    };
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  error: { message: string; type: string; param: string | null; code: string | null };
}

const post = (server: ModelServer, path: string, json: unknown, headers: Record<string, string> = {}) =>
  sendJson<Body>(`${server.url}/${path}`, json, { headers });

async function greedyTexts(prompts: readonly string[], maxNewTokens: number) {
  const texts: string[] = [];
  const options = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens, seed: 0, batchSize: 1 };
  for await (const { text } of generateTexts(
    model,
    prompts.map((prompt) => ({ prompt })),
    options,
  ))
    texts.push(text);
  return texts;
}

const words = ['is it a dog', 'the big red fox', 'no', 'my old house runs over the cat . yes', 'yes . no . yes'];

test('many requests at once, more than there are slots: each is what generateTexts says alone', async () => {
  const server = await serve({ slots: 2 });
  const expected = await greedyTexts(words, 21);
  const answers = await Promise.all(
    [...words, ...words].map((prompt) => post(server, 'completions', { prompt, max_tokens: 21, temperature: 0 })),
  );
  answers.forEach(({ status, body }, i) => {
    expect(status).toBe(200);
    expect(body.choices[0].text).toBe(expected[i % words.length]);
    const prompt = tokenizer.encode(words[i % words.length]).length;
    expect(body.usage).toMatchObject({ prompt_tokens: prompt, total_tokens: prompt + body.usage.completion_tokens });
  });
  expect(await (await fetch(new URL('/health', server.url))).json()).toEqual({ status: 'ok', running: 0, waiting: 0 });
});

test('a chat goes through the template, and its second turn finds the first in the cache', async () => {
  const server = await serve();
  const ask = { role: 'user', content: 'is it a dog' };
  const first = await post(server, 'chat/completions', { messages: [ask], temperature: 0, max_tokens: 9 });
  const [{ message }] = first.body.choices;
  expect(message).toMatchObject({ role: 'assistant' });
  const prompt = 'is it a dog ?';
  expect([message.content]).toEqual((await greedyTexts([prompt], 9)).map((text) => text));
  const messages = [ask, message, { role: 'user', content: [{ type: 'text', text: ' a cat' }] }];
  const second = await post(server, 'chat/completions', { messages, temperature: 0, max_completion_tokens: 5 });
  const whole = `${prompt}${message.content} . a cat ?`;
  expect([second.body.choices[0].message.content]).toEqual(await greedyTexts([whole], 5));
  expect(second.body.usage.prompt_tokens).toBe(tokenizer.encode(whole).length);
});

test('a seed gives the same texts, alone and in company; n gives several', async () => {
  const server = await serve();
  const sampled = { prompt: 'the big', max_tokens: 20, seed: 7, n: 2 };
  const alone = (await post(server, 'completions', sampled)).body.choices.map(({ text }) => text);
  const [again] = await Promise.all([
    post(server, 'completions', sampled),
    post(server, 'completions', { prompt: 'no', max_tokens: 20 }),
    post(server, 'completions', { prompt: 'is it a dog', max_tokens: 13, top_k: 3, temperature: 0.5 }),
  ]);
  expect(again.body.choices.map(({ text }) => text)).toEqual(alone);
  expect(alone[0]).not.toBe(alone[1]);
});

test('more answers than slots to one prompt wait for their turns; more than slots and queue have room for are refused', async () => {
  const server = await serve({ slots: 2, maxQueued: 3 });
  const { status, body } = await post(server, 'completions', { prompt: 'the big', max_tokens: 4, seed: 7, n: 5 });
  expect([status, body.choices.length]).toEqual([200, 5]);
  expect((await post(server, 'completions', { prompt: 'the big', n: 6 })).status).toBe(400);
});

test('a stream says piece by piece what the whole answer says', async () => {
  const server = await serve();
  const asked = { messages: [{ role: 'user', content: 'my old' }], seed: 3, max_tokens: 24 };
  const whole = await post(server, 'chat/completions', asked);
  const response = await post(server, 'chat/completions', {
    ...asked,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events = response.text.trim().split('\n\n');
  expect(events.at(-1)).toBe('data: [DONE]');
  type Piece = {
    choices: { delta: { role?: string; content?: string }; finish_reason: string | null }[];
    usage?: object;
  };
  const pieces = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)) as Piece);
  const [choice] = whole.body.choices;
  expect(pieces.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(choice.message.content);
  expect(pieces[0].choices[0].delta.role).toBe('assistant');
  expect(pieces.at(-2)!.choices[0]).toMatchObject({ delta: {}, finish_reason: choice.finish_reason });
  expect(pieces.at(-1)).toMatchObject({ choices: [], usage: whole.body.usage });
  expect(pieces.length).toBeGreaterThan(4);
});

test('stop strings end an answer before them; terminators too; logprobs and echo are returned', async () => {
  const server = await serve();
  const asked = { prompt: 'is it a', max_tokens: 20, temperature: 0, logprobs: 0 };
  const [{ text, logprobs }] = (await post(server, 'completions', asked)).body.choices;
  expect(logprobs.tokens.join('')).toBe(text);
  expect(logprobs.token_logprobs).toHaveLength(logprobs.tokens.length);
  const stop = logprobs.tokens[5];
  const stopped = await post(server, 'completions', { ...asked, logprobs: null, stop, echo: true });
  const [choice] = stopped.body.choices;
  expect(choice.text).toBe(`is it a${text.slice(0, text.indexOf(stop))}`);
  expect(choice.finish_reason).toBe('stop');
  const scored = await post(server, 'completions', { prompt: text, max_tokens: 0, echo: true, logprobs: 0 });
  const [{ text: echoed, logprobs: ofPrompt, finish_reason }] = scored.body.choices;
  expect([echoed, finish_reason, scored.body.usage.completion_tokens]).toEqual([text, 'length', 0]);
  expect(ofPrompt.tokens.join('')).toBe(text);
  expect(ofPrompt.token_logprobs.map((logprob: unknown) => typeof logprob).slice(0, 2)).toEqual(['object', 'number']);

  const [ending] = tokenizer.encode(stop);
  const strict = await serve({ terminatorIds: [ending] });
  const ended = await post(strict, 'completions', { ...asked, echo: false });
  const said = logprobs.tokens.indexOf(stop);
  expect(ended.body.choices[0]).toMatchObject({ text: logprobs.tokens.slice(0, said).join(''), finish_reason: 'stop' });
  expect(ended.body.usage.completion_tokens).toBe(said + 1);
});

test('return_token_ids, as in vLLM: ids of prompt and answer, the token that ended it among them, each with its log-probability', async () => {
  type WithIds = { token_ids: number[]; prompt_token_ids?: number[]; logprobs: { token_logprobs: number[] } };
  const idsOf = (body: object) => (body as { choices: WithIds[] }).choices[0];
  const server = await serve();
  const prompt = tokenizer.encode('is it a');
  const asked = { prompt, max_tokens: 12, temperature: 1, seed: 3, logprobs: 0, return_token_ids: true };
  const whole = (await post(server, 'completions', asked)).body;
  const { token_ids: ids, logprobs } = idsOf(whole);
  expect(idsOf(whole).prompt_token_ids).toEqual(prompt);
  expect(tokenizer.decode(ids)).toBe(whole.choices[0].text);
  const scored = await post(server, 'completions', {
    prompt: [...prompt, ...ids],
    max_tokens: 0,
    echo: true,
    logprobs: 0,
  });
  const ofPrompt = scored.body.choices[0].logprobs.token_logprobs.slice(prompt.length);
  ofPrompt.forEach((logprob, i) => expect(logprobs.token_logprobs[i]).toBeCloseTo(logprob, 4));

  const padded = await post(server, 'completions', {
    prompt: [...prompt, tokenizer.padTokenId],
    max_tokens: 0,
    echo: true,
    logprobs: 0,
  });
  expect(padded.status).toBe(400);

  const ending = ids.findIndex((id, i) => i > 1 && ids.indexOf(id) === i);
  expect(ending).toBeGreaterThan(1);
  const stopped = (await post(server, 'completions', { ...asked, stop_token_ids: [ids[ending]] })).body;
  expect(stopped.choices[0].finish_reason).toBe('stop');
  expect(idsOf(stopped).token_ids).toEqual(ids.slice(0, ending + 1));
  expect(idsOf(stopped).logprobs.token_logprobs).toHaveLength(ending + 1);

  const chat = {
    messages: [{ role: 'user', content: 'my old' }],
    max_tokens: 6,
    temperature: 0,
    return_token_ids: true,
  };
  const answer = (await post(server, 'chat/completions', chat)).body as Body & { prompt_token_ids: number[] };
  expect(answer.prompt_token_ids).toEqual(tokenizer.encode('my old ?'));
  const response = await post(server, 'chat/completions', { ...chat, stream: true });
  type Piece = { prompt_token_ids?: number[]; choices: WithIds[] };
  const events = response.text.trim().split('\n\n').slice(0, -1);
  const pieces = events.map((event) => JSON.parse(event.slice('data: '.length)) as Piece);
  expect(pieces.flatMap(({ choices }) => choices[0].token_ids)).toEqual(idsOf(answer).token_ids);
  expect(pieces.map((piece) => piece.prompt_token_ids)).toEqual([
    answer.prompt_token_ids,
    ...pieces.slice(1).map(() => undefined),
  ]);
});

test.each([
  ['completions', { prompt: 'no', stop: 'no', return_token_ids: true }, 400, 'stop', 'give stop_token_ids'],
  ['completions', { prompt: 'no', stop_token_ids: [-1] }, 400, 'stop_token_ids', 'must be an array of token ids below'],
  ['chat/completions', '{', 400, null, 'the body is not JSON'],
  ['chat/completions', { messages: [] }, 400, 'messages', "'messages' must be an array with at least one object"],
  [
    'chat/completions',
    { messages: [{ role: 'narrator', content: '' }] },
    400,
    'messages[0].role',
    'must be one of system,',
  ],
  ['completions', { prompt: 'no', temperature: 3 }, 400, 'temperature', "'temperature' must be a number from 0 to 2"],
  ['completions', { prompt: 'no', n: 1.5 }, 400, 'n', "'n' must be an integer from 1 to 68"],
  ['completions', { prompt: 'no', max_tokens: 0 }, 400, 'max_tokens', 'an integer of at least 1'],
  ['completions', { prompt: 'no', echo: true, logprobs: 2 }, 400, 'logprobs', 'must be 0 together with echo'],
  ['completions', { prompt: 'no', repetition_penalty: 0 }, 400, 'repetition_penalty', 'must be'],
  [
    'completions',
    { prompt: 'no', logit_bias: { 3000: 1 } },
    400,
    'logit_bias',
    "the key '3000', which is not a token id",
  ],
  ['completions', { prompt: 'no', logit_bias: { 3: 101 } }, 400, 'logit_bias', 'numbers from -100 to 100'],
  ['completions', { prompt: 'no', frequency_penalty: 3 }, 400, 'frequency_penalty', 'a number from -2 to 2'],
  ['completions', { prompt: 'no', top_logprobs: 2 }, 400, 'top_logprobs', 'is not supported'],
  [
    'chat/completions',
    { messages: [{ role: 'user', content: 'no' }], top_logprobs: 2 },
    400,
    'top_logprobs',
    'needs logprobs',
  ],
  ['completions', { prompt: '' }, 400, 'prompt', "'prompt' is empty"],
  ['completions', { prompt: [1, 999] }, 400, 'prompt', "'prompt' must be a string, token ids below"],
  [
    'completions',
    { prompt: 'no', max_tokens: 96 },
    400,
    'prompt',
    'maximum context length is 96 tokens. However, you requested 97 tokens (1 in the prompt, 96 in the completion).',
  ],
  ['completions', { prompt: 'no', model: 'gpt-4o' }, 404, 'model', "The model 'gpt-4o' does not exist"],
  ['embeddings', { input: 'no' }, 400, 'model', 'serve an encoder'],
  ['images', { prompt: 'no' }, 404, null, 'Unknown request: POST /v1/images'],
])('%s %j is refused with status %i', async (path, json, status, param, message) => {
  const server = await serve();
  const answer = await post(server, path, json);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', param });
  expect(answer.body.error.message).toContain(message);
});

/** Returns the [vocabulary] log-probabilities of the next token. */
async function nextLogprobs(ids: readonly number[]): Promise<number[]> {
  const vocabulary = Array.from({ length: tokenizer.vocabSize }, (_, id) => id);
  const sayable = vocabulary.filter((id) => !model.maskedTokenIds.includes(id));
  const examples = sayable.map((target) => ({
    ids: Int32Array.from(ids),
    targets: Int32Array.from(ids, (_, i) => (i === ids.length - 1 ? target : 0)),
    weights: Float32Array.from(ids, (_, i) => Number(i === ids.length - 1)),
  }));
  const scored = await model.logprobs(examples);
  return vocabulary.map((id) => scored[sayable.indexOf(id)]?.at(-1) ?? -Infinity);
}

test('the likeliest tokens are returned, in the order of their log-probabilities', async () => {
  const server = await serve();
  const prompt = 'is it a';
  const expected = (await nextLogprobs(tokenizer.encode(prompt)))
    .map((logprob, id) => ({ token: tokenizer.decode([id], { keepSpecialTokens: true }), logprob }))
    .sort((a, b) => b.logprob - a.logprob);
  const text = await post(server, 'completions', { prompt, max_tokens: 2, temperature: 0, logprobs: 3 });
  const [told] = text.body.choices[0].logprobs.top_logprobs;
  expect(Object.keys(told)).toEqual(expected.slice(0, 3).map(({ token }) => token));
  Object.values(told).forEach((logprob, i) => expect(logprob).toBeCloseTo(expected[i].logprob, 4));
  const messages = [{ role: 'user', content: 'the big' }];
  const asked = { messages, max_tokens: 4, seed: 5, logprobs: true, top_logprobs: 20 };
  const { content } = (await post(server, 'chat/completions', asked)).body.choices[0].logprobs;
  expect(content).toHaveLength(4);
  for (const { token, logprob, top_logprobs: tops } of content) {
    expect(tops).toHaveLength(20);
    expect(tops.map((top) => top.logprob)).toEqual(tops.map((top) => top.logprob).sort((a, b) => b - a));
    const same = tops.find((top) => top.token === token);
    if (same) expect(same.logprob).toBeCloseTo(logprob, 5);
  }
});

test('a bias and penalties choose as a loop over the vocabulary does; the log-probabilities are the model’s own', async () => {
  const server = await serve();
  const prompt = 'the big red';
  const bias: Record<number, number> = { 5: 3, 8: -100 };
  const [presence, frequency, steps] = [0.5, 1.5, 12];
  const ids = tokenizer.encode(prompt);
  const counts = new Array<number>(tokenizer.vocabSize).fill(0);
  const logprobs: number[] = [];
  for (let step = 0; step < steps; step++) {
    const own = await nextLogprobs(ids);
    const biased = own.map((x, id) => x + (bias[id] ?? 0) - frequency * counts[id] - presence * Number(counts[id] > 0));
    const best = biased.indexOf(Math.max(...biased));
    if (best === tokenizer.eosTokenId) break;
    ids.push(best);
    counts[best]++;
    logprobs.push(own[best]);
  }
  const said = ids.slice(ids.length - logprobs.length).map((id) => tokenizer.decode([id]));
  const asked = { prompt, max_tokens: steps, temperature: 0, logprobs: 0, logit_bias: bias };
  const penalties = { presence_penalty: presence, frequency_penalty: frequency };
  // Another request without bias runs at the same time.
  const [biased, plain] = await Promise.all([
    post(server, 'completions', { ...asked, ...penalties }),
    post(server, 'completions', { prompt, max_tokens: steps, temperature: 0 }),
  ]);
  expect(biased.body.choices[0].logprobs.tokens).toEqual(said);
  biased.body.choices[0].logprobs.token_logprobs.forEach((x, i) => expect(x).toBeCloseTo(logprobs[i], 4));
  expect([plain.body.choices[0].text]).toEqual(await greedyTexts([prompt], steps));
  expect(plain.body.choices[0].text).not.toBe(biased.body.choices[0].text);
});

test('a model without a template refuses chats, and a server with a key requires it', async () => {
  const server = await serve({ template: null, apiKey: 'secret' });
  const asked = { messages: [{ role: 'user', content: 'no' }] };
  const strangers = [await post(server, 'chat/completions', asked)];
  strangers.push(await post(server, 'chat/completions', asked, { authorization: 'Bearer wrong' }));
  expect(strangers.map(({ status, body }) => [status, body.error.code])).toEqual([
    [401, 'invalid_api_key'],
    [401, 'invalid_api_key'],
  ]);
  const { body } = await post(server, 'chat/completions', asked, { authorization: 'Bearer secret' });
  expect(body.error.message).toContain('this model has no chat template');
  const models = await fetch(`${server.url}/models`, { headers: { authorization: 'Bearer secret' } });
  expect(await models.json()).toMatchObject({ object: 'list', data: [{ id: 'tiny', max_model_len: 96 }] });
});

describe('what a long request costs the others', () => {
  /** Returns the model's tokenizer, with counts of its calls. */
  const counted = () => {
    const counts = { whole: 0, steps: 0 };
    const count =
      <Key extends 'encode' | 'encodeWithSpecials'>(key: Key) =>
      (text: string) => {
        counts.whole += text.length;
        return tokenizer[key](text);
      };
    const own: Partial<typeof tokenizer> = {
      encode: count('encode'),
      encodeWithSpecials: count('encodeWithSpecials'),
      *encodeInSteps(text: string) {
        for (let step = 0; step < 7; step++, counts.steps++) yield undefined;
        return tokenizer.encode(text.slice(0, 20));
      },
      longestToken: 1_000,
    };
    const spied = new Proxy(tokenizer, {
      get(target, key) {
        const value: unknown = Reflect.get(key in own ? own : target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return { counts, stepped: new SteppedTokenizer(spied) };
  };

  test.each<[string, object, number, string]>([
    ['completions', { prompt: 'a'.repeat(96_001) }, 400, 'your prompt has 96001 characters'],
    ['completions', { prompt: new Array(97).fill(1) }, 400, 'your prompt resulted in 97 tokens.'],
    [
      'completions',
      { prompt: new Array(69).fill('no') },
      400,
      'asks for 69 answers at once; this server has room for 68',
    ],
    ['completions', { prompt: new Array(250_001).fill('a') }, 413, 'more than 250000 values'],
    [
      'completions',
      { prompt: 'no', stop: new Array(25_001).fill({}) },
      413,
      'more than 25000 objects, arrays and fields',
    ],
    ['completions', { prompt: 'no', stop: 'x'.repeat(1_025) }, 400, 'a string of 1025 characters'],
    ['completions', { prompt: 'no', stop_token_ids: new Array(4_097).fill(1) }, 400, 'at most 4096 are allowed'],
    [
      'chat/completions',
      { messages: [{ role: 'user', content: 'a'.repeat(96_001) }] },
      400,
      'your messages have 96001 characters',
    ],
    [
      'chat/completions',
      {
        messages: new Array(3).fill({
          role: 'assistant',
          tool_calls: [{ function: { arguments: '1'.repeat(200_000) } }],
        }),
      },
      400,
      'arguments of 600000 characters in all',
    ],
    ['chat/completions', { messages: new Array(2_049).fill({ role: 'user', content: 'a' }) }, 400, 'at most 2048'],
  ])('%s is refused before anything is encoded (%#)', async (path, json, status, message) => {
    const { counts, stepped } = counted();
    const server = await serve({ tokenizer: stepped, template: chatTemplate(jinja, stepped) });
    const answer = await post(server, path, json);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(message)]);
    expect(counts).toEqual({ whole: 0, steps: 0 });
  });

  test('a long text is encoded in steps, and a short one at once', async () => {
    const { counts, stepped } = counted();
    const server = await serve({ tokenizer: stepped, template: chatTemplate(jinja, stepped) });
    const long = 'is it a '.repeat(2_000);
    expect((await post(server, 'completions', { prompt: long, max_tokens: 1 })).status).toBe(200);
    expect(counts).toEqual({ whole: 0, steps: 7 });
    const messages = [{ role: 'user', content: long }];
    expect((await post(server, 'chat/completions', { messages, max_tokens: 1 })).status).toBe(200);
    expect(counts).toEqual({ whole: 0, steps: 14 });
    await post(server, 'completions', { prompt: ['is', 'it'], max_tokens: 1 });
    expect(counts).toEqual({ whole: 4, steps: 14 });
  });
});

interface Load {
  running: number;
  waiting: number;
}

async function until(server: ModelServer, reached: (load: Load) => boolean): Promise<void> {
  const load = async () => (await (await fetch(new URL('/health', server.url))).json()) as Load;
  while (!reached(await load())) await new Promise((resolve) => setTimeout(resolve, 1));
}

test('a sequence whose signal is given ends before its limit, and its slot is free again', async () => {
  const batcher = await SequenceBatcher.open(model, { slots: 1, maxQueued: 0 });
  const gone = new AbortController();
  const request = {
    promptIds: tokenizer.encode('is it'),
    maxNewTokens: 90,
    terminatorIds: [],
    rng: new Rng(0),
    sampling: { greedy: true, temperature: 1, topK: 0, topP: 1 },
  };
  const onTokens = () => {
    gone.abort();
    return true;
  };
  const [left] = batcher.submit([{ ...request, signal: gone.signal, onTokens }]);
  expect(() => batcher.submit([{ ...request, signal: gone.signal, onTokens }])).toThrow('all 1 slots are busy');
  expect(await left).toEqual({ finishReason: 'aborted', newTokens: 1, cachedTokens: 0 });
  const [stays] = batcher.submit([{ ...request, signal: new AbortController().signal, onTokens: () => true }]);
  expect(await stays).toMatchObject({ finishReason: 'length', newTokens: 90 });
  await batcher.close();
});

test('a server that stops finishes its current answers', async () => {
  const server = await serve({ slots: 1 });
  open.length = 0;
  const address = server.url;
  const last = post(server, 'completions', { prompt: 'no', max_tokens: 90, temperature: 0 });
  await Promise.race([last, until(server, ({ running }) => running > 0)]);
  const closed = server.close();
  expect((await last).body.choices[0].finish_reason).toMatch(/stop|length/);
  await closed;
  await expect(fetch(`${address}/models`)).rejects.toThrow();
});
