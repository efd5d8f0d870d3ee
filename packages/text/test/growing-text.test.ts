// Tests that the text of tokens which arrive one by one equals the text of all tokens at once: with every decoder, over texts of many
// scripts, incomplete characters, special tokens, and random tokens.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { byteTokens, GrowingText, HuggingFaceTokenizer } from '../src/index.js';
import { Draws } from './draws.js';

const folder = fileURLToPath(new URL('tokenizer-fixtures/', import.meta.url));
const byteDecoder = { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] };

interface Recording {
  definition: Record<string, unknown>;
  cases: [text: string, ids: number[], special: number[], ...decoded: string[]][];
}

const read = (file: string) => JSON.parse(readFileSync(folder + file, 'utf8')) as Recording;

/** Takes the tokens of texts, and draws single ones and runs of one kind. */
function drawnIds(
  { vocabSize }: HuggingFaceTokenizer,
  cases: Recording['cases'],
  bytes: number[],
  rng: Draws,
): number[] {
  const ids: number[] = [];
  while (ids.length < 300) {
    const kind = rng.integer(0, 3);
    const one = () =>
      bytes.length > 0 && kind === 2 ? bytes[rng.integer(0, bytes.length - 1)] : rng.integer(0, vocabSize - 1);
    if (kind < 2) ids.push(...cases[rng.integer(0, cases.length - 1)][2].slice(0, 40));
    else if (kind === 2) ids.push(...Array.from({ length: rng.integer(1, 30) }, one));
    else ids.push(...new Array<number>(rng.integer(1, 40)).fill(one()));
  }
  return ids;
}

function compare(tokenizer: HuggingFaceTokenizer, ids: readonly number[], rng: Draws): void {
  const growing = new GrowingText((all) => tokenizer.decode(all), { byteIds: byteTokens(tokenizer), keeps: 5 });
  for (let at = 0; at < ids.length;) {
    const before = growing.from(0).slice(0, growing.settledLength);
    const next = at + rng.integer(1, 4);
    growing.add(ids.slice(at, next));
    at = next;
    const whole = tokenizer.decode(ids.slice(0, at));
    const offset = rng.integer(0, whole.length);
    expect([growing.text, growing.length, growing.from(offset)]).toEqual([whole, whole.length, whole.slice(offset)]);
    expect(whole.startsWith(before)).toBe(true);
  }
}

test.each(readdirSync(folder))('%s', (file) => {
  const { definition, cases } = read(file);
  const tokenizer = new HuggingFaceTokenizer(definition, {});
  const rng = new Draws(1);
  const bytes = [...byteTokens(tokenizer)];
  for (let text = 0; text < 4; text++) compare(tokenizer, drawnIds(tokenizer, cases, bytes, rng), rng);
});

test('bytes that are characters on their own are not, once a byte behind them is none', () => {
  const vocab = Object.fromEntries(['a', '<0xC3>', '<0xA9>', '<0x0A>'].map((token, id) => [token, id]));
  const tokenizer = new HuggingFaceTokenizer({ model: { type: 'WordLevel', vocab }, decoder: byteDecoder }, {});
  const growing = new GrowingText((ids) => tokenizer.decode(ids), { byteIds: byteTokens(tokenizer), keeps: 0 });
  for (let i = 0; i < 30; i++) growing.add([1, 2, 3]);
  expect(growing.text).toBe('é\n'.repeat(30));
  growing.add([1]);
  expect(growing.text).toBe('\uFFFD'.repeat(91));
  growing.add([0]);
  expect(growing.text).toBe(`${'\uFFFD'.repeat(91)}a`);
});

test('what is decoded for a token does not grow with the text', () => {
  const { definition } = read('gpt2.json');
  const tokenizer = new HuggingFaceTokenizer(definition, {});
  const lengths: number[] = [];
  const decode = (ids: readonly number[]) => (lengths.push(ids.length), tokenizer.decode(ids));
  const growing = new GrowingText(decode, { byteIds: new Set(), keeps: 0 });
  for (const id of tokenizer.encode('is it a dog? no, 漢字.\n'.repeat(100))) growing.add([id]);
  expect(growing.text).toBe('is it a dog? no, 漢字.\n'.repeat(100));
  expect(lengths.reduce((a, b) => Math.max(a, b))).toBeLessThan(40);
});
