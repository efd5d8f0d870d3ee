// Bytes and names of tokens that are parts of characters, over the answers of a server with a byte-level tokenizer.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { chatTemplate, loadTokenizer, type Tokenizer } from '@bowyer/text';
import { TextWriter } from '../src/protocols/completions/text-writer.js';
import { ModelServer } from '../src/model-server/model-server.js';
import { SteppedTokenizer } from '../src/generation/stepped-tokenizer.js';
import { SpelledTokens, type TokenLogprob } from '../src/generation/token-logprobs.js';

const fixtures = resolve(import.meta.dirname, '../../text/test/tokenizer-fixtures');
const config = {
  model_type: 'llama',
  hidden_size: 16,
  intermediate_size: 20,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  max_position_embeddings: 96,
};
const template = '{% for m in messages %}{{ m.content }}{% endfor %}';

let folder: string;
let device: Device;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowyer-logprobs-'));
  device = await openDevice({ device: 'cpu', threads: 1 });
});
afterAll(async () => {
  await device.close();
  rmSync(folder, { recursive: true });
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
    model,
    tokenizer,
    name: 'tiny',
    template: chatTemplate(template, tokenizer),
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: 4,
    maxQueued: 8,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 12 },
  });
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(json) });
    return ((await response.json()) as Body).choices;
  } finally {
    await server.close();
    await model.release();
  }
}

// A model without training writes any bytes; with this seed it writes no special token, which has a name and no text.
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
  const told = (names: 'texts' | 'ids') => (answer(names) as Body).choices[0].logprobs;
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
