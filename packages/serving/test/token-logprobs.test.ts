// Tests bytes and names of tokens that are parts of characters, in answers of a server with a byte-level tokenizer.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { chatTemplate, loadTokenizer, type Steps, type Tokenizer } from '@bowyer/text';
import { newFolder, sendJson, tinyLlama } from '@bowyer/testing';
import type { Completed } from '../src/generation/answer.js';
import type { CompletionRequest } from '../src/generation/completion-request.js';
import { runCompletion } from '../src/generation/completion-run.js';
import { jsonBytesInSteps } from '../src/http/json-writing.js';
import { ChatWriter } from '../src/protocols/chat-completions/chat-writer.js';
import { TextWriter } from '../src/protocols/completions/text-writer.js';
import { ResponseWriter } from '../src/protocols/responses/response-writer.js';
import { StoredResponses, type Item } from '../src/protocols/responses/stored-responses.js';
import { ModelServer } from '../src/model-server/model-server.js';
import { SteppedTokenizer } from '../src/generation/stepped-tokenizer.js';
import { SpelledTokens, type TokenLogprob } from '../src/generation/token-logprobs.js';
import { usual } from './tiny-server.js';

const fixtures = resolve(import.meta.dirname, '../../text/test/tokenizer-fixtures');
const config = tinyLlama(96);
const template = '{% for m in messages %}{{ m.content }}{% endfor %}';

const folder = newFolder();
const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(async () => {
  await device.close();
});

async function load(name: string): Promise<Tokenizer> {
  const { definition } = JSON.parse(readFileSync(join(fixtures, `${name}.json`), 'utf8')) as { definition: object };
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(definition));
  return loadTokenizer(folder);
}

interface Entry {
  token: string;
  bytes: number[];
  top_logprobs: Entry[];
}
interface Body {
  choices: {
    text: string;
    message: { content: string };
    logprobs: { content: Entry[]; tokens: string[]; top_logprobs: object[]; text_offset: number[] };
  }[];
}

async function answers(name: string, path: string, json: object): Promise<Body['choices']> {
  const tokenizer = new SteppedTokenizer(await load(name));
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
  const server = await ModelServer.listen({
    ...usual,
    model,
    tokenizer,
    template: chatTemplate(template, tokenizer),
    maxQueued: 8,
  });
  try {
    return (await sendJson<Body>(`${server.url}/${path}`, json)).body.choices;
  } finally {
    await server.close();
    await model.release();
  }
}

// An untrained model writes any bytes; with this seed it writes no special token, which has a name and no text.
const sampled = { max_tokens: 24, seed: 5, n: 4, temperature: 1 };

test.each(['gpt2', 'llama2'])('%s: the bytes of an answer’s tokens are those of its text', async (name) => {
  const messages = [{ role: 'user', content: 'hello' }];
  const choices = await answers(name, 'chat/completions', { ...sampled, messages, logprobs: true, top_logprobs: 2 });
  let parts = 0;
  for (const { message, logprobs } of choices) {
    const bytes = Buffer.from(logprobs.content.flatMap((entry) => entry.bytes));
    const shown = name === 'gpt2' ? bytes.toString() : message.content; // sentencepiece shows each byte that is not text as U+FFFD
    expect(message.content).toBe(shown);
    if (!message.content.includes('\ufffd')) expect(bytes.toString()).toBe(message.content);
    for (const { token, bytes: own } of logprobs.content.flatMap((entry) => [entry, ...entry.top_logprobs]))
      if (Buffer.from(own).toString() !== token) {
        expect(token).toBe(own.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''));
        parts++;
      }
  }
  expect(parts).toBeGreaterThan(0);
});

test('completions name parts of characters by their bytes, and text_offset counts whole characters', async () => {
  const choices = await answers('gpt2', 'completions', { ...sampled, prompt: 'hello', logprobs: 5 });
  const tokens = choices.flatMap(({ logprobs }) => logprobs.tokens);
  expect(tokens.filter((token) => token.includes('\ufffd'))).toEqual([]);
  expect(tokens.some((token) => /^bytes:(\\x[0-9a-f]{2})+$/.test(token))).toBe(true);
  for (const { logprobs, text } of choices) {
    for (const [i, alternatives] of logprobs.top_logprobs.entries()) {
      expect(Object.keys(alternatives)).toContain(logprobs.tokens[i]);
      expect(Object.keys(alternatives).length).toBeGreaterThanOrEqual(5);
    }
    logprobs.text_offset.forEach((offset, i) => {
      const token = logprobs.tokens[i];
      if (!token.startsWith('bytes:')) expect(text.slice(offset, offset + token.length)).toBe(token);
    });
  }
});

const bytesOf = (text: string) => Buffer.from(text);

test('alternatives with one text do not overwrite each other: the generated one has it, then the most likely', () => {
  const alternative = (id: number, text: string, logprob: number) => ({ id, bytes: bytesOf(text), logprob });
  const topLogprobs = [
    alternative(1, 'a', -1),
    alternative(2, 'a', -2),
    alternative(3, 'b', -3),
    alternative(4, 'b', -4),
  ];
  const token: TokenLogprob = { ...alternative(2, 'a', -2), offset: 0, topLogprobs };
  const usage = { promptTokens: 1, cachedPromptTokens: 0, completionTokens: 1, reasoningTokens: 0 };
  const answer = (names: 'texts' | 'ids') =>
    new TextWriter({ model: 'tiny', streamsUsage: false, namesTokensById: names === 'ids' }, 0).whole({
      choices: [{ index: 0, text: 'a', finishReason: 'stop', tokens: [token] }],
      usage,
      aborted: false,
    });
  const told = (names: 'texts' | 'ids') => (JSON.parse(JSON.stringify(answer(names))) as Body).choices[0].logprobs;
  expect(told('texts').top_logprobs).toEqual([{ 'token_id:1': -1, a: -2, b: -3, 'token_id:4': -4 }]);
  expect(told('ids').top_logprobs).toEqual([
    { 'token_id:1': -1, 'token_id:2': -2, 'token_id:3': -3, 'token_id:4': -4 },
  ]);
  expect(told('ids').tokens).toEqual(['token_id:2']);
});

test('a sentencepiece token has the space before it, except at the beginning of a text', async () => {
  const tokenizer = await load('llama2');
  const ids = tokenizer.encode('Hello world');
  const spelled = new SpelledTokens(tokenizer);
  const tokens = ids.map((id) => Buffer.from(spelled.add(id, 0).bytes).toString());
  expect(tokens.join('')).toBe('Hello world');
  const behind = new SpelledTokens(tokenizer, tokenizer.encode('Hello'));
  expect(Buffer.from(behind.add(tokenizer.encode(' world')[0], 0).bytes).toString()).toMatch(/^ /);
});

const alternativeOf = (id: number, logprob: number) => ({ id, bytes: bytesOf(`t${id}`), logprob });
/** 1,000 tokens, each with its 20 most likely ones. */
const manyTokens = Array.from({ length: 1000 }, (_, i): TokenLogprob => ({
  ...alternativeOf(i, -i / 7),
  offset: 3 * i,
  topLogprobs: Array.from({ length: 20 }, (_, k) => alternativeOf(k, -k / 3)),
}));
const completed: Completed = {
  choices: [{ index: 0, text: 'text', finishReason: 'stop', tokens: manyTokens }],
  usage: { promptTokens: 1, cachedPromptTokens: 0, completionTokens: 1000, reasoningTokens: 0 },
  aborted: false,
};

function drained<Result>(steps: Steps<Result>): { result: Result; count: number } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, count };
  }
}

const settings = { model: 'tiny', streamsUsage: false, namesTokensById: false };
test.each([
  ['completions', new TextWriter(settings, 0)],
  ['chats', new ChatWriter(settings, 0)],
])('%s: an answer with many log-probabilities is written in steps', (_, writer) => {
  const whole = writer.whole(completed);
  const { result, count } = drained(jsonBytesInSteps(whole));
  expect(count).toBeGreaterThan(10);
  expect(Buffer.concat(result).toString()).toBe(JSON.stringify(whole));
});

test('responses: the events that repeat the whole answer are written in steps, and so is what is stored', () => {
  const stored = new StoredResponses({ responses: 1, bytes: 2 ** 30 });
  const options = {
    request: { repeated: {}, summarizes: false, include: [], spaced: new Map<string, never>() },
    model: 'tiny',
    created: 0,
    *onEnd(id: string, response: object, output: readonly Item[]) {
      yield* stored.add({ id, response, input: [], context: output });
    },
  };
  const writer = new ResponseWriter(options);
  writer.piece({ index: 0, text: 'text', finishReason: null, tokens: manyTokens.slice(0, 300) });
  const { result, count } = drained(writer.end(completed));
  expect(count).toBeGreaterThan(20);
  const events = Buffer.concat(result)
    .toString()
    .split('\n\n')
    .slice(0, -1)
    .map((text) => JSON.parse(/^event: .*\ndata: (.*)$/.exec(text)![1]) as { type: string; response?: { id: string } });
  expect(events.map(({ type }) => type)).toEqual([
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  const { response } = events.at(-1)!;
  const kept = stored.get(response!.id)!;
  expect(JSON.stringify(kept.response)).toBe(JSON.stringify(response));
  expect(stored.bytes).toBe(Buffer.byteLength(JSON.stringify([kept.response, kept.context])));
});

test('the prompts of a request are spelled in turns of their own', async () => {
  const tokenizer = await load('gpt2');
  const prompts = Array.from({ length: 8 }, () => ({ ids: tokenizer.encode('Hello world'), echo: '' }));
  const request = {
    prompts,
    n: 1,
    maxTokens: 0,
    scoresPrompts: true,
    logprobs: true,
    stopIds: [],
    stops: [],
    minTokens: 0,
    continuesText: true,
    parts: null,
  } as Partial<CompletionRequest> as CompletionRequest;
  const batcher = {
    submit: () => [],
    score: (given: readonly (readonly number[])[]) =>
      Promise.resolve(given.map(({ length }) => new Float32Array(length - 1))),
  };
  let turns = 0;
  const count = () => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const { signal } = new AbortController();
  const run = { request, tokenizer, terminatorIds: [], rng: new Rng(1), signal, onPiece: () => undefined };
  const { choices } = await runCompletion(batcher, run);
  clearImmediate(immediate);
  expect(choices.map(({ tokens }) => tokens!.length)).toEqual(prompts.map(({ ids }) => ids.length));
  expect(turns).toBeGreaterThanOrEqual(prompts.length - 1);
});

test('what comes before the last shown token of a prompt does not change how an answer is spelled', async () => {
  for (const name of ['gpt2', 'llama2']) {
    const tokenizer = await load(name);
    const ids = [
      ...tokenizer.encode('Hello world'),
      tokenizer.eosTokenId,
      ...tokenizer.encode(' and é'),
      tokenizer.eosTokenId,
    ];
    const [after] = tokenizer.encode(' more');
    for (let end = 0; end <= ids.length; end++) {
      const slow = new SpelledTokens(tokenizer);
      for (const id of ids.slice(0, end)) slow.add(id, 0);
      const fast = new SpelledTokens(tokenizer, ids.slice(0, end));
      expect([...fast.add(after, 0).bytes]).toEqual([...slow.add(after, 0).bytes]);
    }
  }
});
