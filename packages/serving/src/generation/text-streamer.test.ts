import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { continuationText } from '@bowyer/models';
import { byteTokens, HuggingFaceTokenizer } from '@bowyer/text';
import { decoderWithMarks } from '../tool-calls/call-style.js';
import { TextStreamer } from './text-streamer.js';

/** Decodes tokens of a vocabulary in which each token is one byte. */
const bytes = (ids: readonly number[]) => Buffer.from(ids).toString('utf8');
const ids = (text: string) => [...Buffer.from(text)];

test('the beginning of a stop string is held back until it cannot become one', () => {
  const streamer = new TextStreamer(bytes, { stops: ['\n\n', 'END'] });
  expect(streamer.add(ids('one\n'))).toBe('one');
  expect(streamer.add(ids('two E'))).toBe('\ntwo ');
  expect(streamer.add(ids('N'))).toBe('');
  expect(streamer.add(ids('Ds here'))).toBe('');
  expect(streamer.stopped).toBe(true);
  expect(streamer.text).toBe('one\ntwo ');
  expect(streamer.add(ids('later'))).toBe('');
  expect(streamer.finish()).toBe('');
});

test('what was held back is written at the end', () => {
  const streamer = new TextStreamer(bytes, { stops: ['\n\n'] });
  expect(streamer.add(ids('a\n'))).toBe('a');
  expect(streamer.finish()).toBe('\n');
  expect(streamer.text).toBe('a\n');
});

test('half a character waits for its other half', () => {
  const streamer = new TextStreamer(bytes);
  const [a, b, c] = ids('é!');
  expect(streamer.add([a])).toBe('');
  expect(streamer.add([b, c])).toBe('é!');
});

test('of two stop strings the one that comes first ends the text', () => {
  const streamer = new TextStreamer(bytes, { stops: ['world', 'o'] });
  expect(streamer.add(ids('hello world'))).toBe('hell');
  expect(streamer.text).toBe('hell');
});

test('a stop string counts from the least number of tokens on, wherever it began', () => {
  const streamer = new TextStreamer(bytes, { stops: ['ab'], minTokens: 3 });
  expect(streamer.add(ids('aba'))).toBe('ab');
  expect(streamer.add(ids('b'))).toBe('');
  expect([streamer.stop, streamer.text]).toEqual(['ab', 'ab']);
});

/** Wraps the function that decodes an answer, so that it counts the tokens that it decodes. */
function counted(decode: (ids: readonly number[]) => string) {
  let count = 0;
  return { decode: (all: readonly number[]) => ((count += all.length), decode(all)), count: () => count };
}

function tokenizerOf(name: string) {
  const path = fileURLToPath(new URL(`../../../text/test/tokenizer-fixtures/${name}.json`, import.meta.url));
  const { definition } = JSON.parse(readFileSync(path, 'utf8')) as { definition: Record<string, unknown> };
  return new HuggingFaceTokenizer(definition, {});
}

test.each(['gpt2', 'llama2', 'gemma', 't5', 'bert-cased', 'clip'])(
  '%s: pieces are together the text of all tokens behind a prompt, and each decodes a few tokens only',
  (name) => {
    const tokenizer = tokenizerOf(name);
    const rng = new Rng(4);
    const some = tokenizer.encode('is it “a” dog? \n\n  don’t do not 漢字 🦫 e\u0301 — END, of it all.');
    const answer = Array.from({ length: 400 }, () =>
      rng.uniform() < 0.8 ? some[rng.integer(0, some.length - 1)] : rng.integer(0, tokenizer.vocabSize - 1),
    );
    const end = tokenizer.encode('Behind a prompt');
    const { decode, count } = counted((all) =>
      continuationText({ decode: decoderWithMarks(tokenizer, null) }, end, all),
    );
    const streamer = new TextStreamer(decode, { stops: ['no such stop'], byteIds: byteTokens(tokenizer) });
    const pieces = answer.map((id) => streamer.add([id]));
    pieces.push(streamer.finish());
    const whole = continuationText({ decode: decoderWithMarks(tokenizer, null) }, end, answer);
    expect(streamer.text).toBe(whole);
    expect(pieces.join('')).toHaveLength(whole.length);
    expect(count()).toBeLessThan(100 * answer.length);
  },
);

test('the time of a long answer grows with its length, not with its square', () => {
  const tokenizer = tokenizerOf('gpt2');
  const { decode, count } = counted((all) => tokenizer.decode(all));
  const streamer = new TextStreamer(decode, { stops: ['END'] });
  const line = tokenizer.encode('is it a dog? no, a cat.\n');
  for (let i = 0; i < 500; i++) for (const id of line) streamer.add([id]);
  expect(streamer.text).toBe('is it a dog? no, a cat.\n'.repeat(500));
  expect(count() / (500 * line.length)).toBeLessThan(60);
});
