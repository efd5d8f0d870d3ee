// Compares our tokenizers with the Rust library's, which packages/text/test/record-tokenizers.py recorded: every kind of model,
// normalizer, pre-tokenizer, decoder and added token, on texts of many scripts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@bowyer/testing';
import { loadTokenizer, TokenSpelling, type Tokenizer } from '../src/index.js';

type Case = [text: string, ids: number[], special: number[], decoded: string, decodedPlain: string];

interface Recording {
  definition: Record<string, unknown>;
  cases: Case[];
}

const folder = fileURLToPath(new URL('tokenizer-fixtures', import.meta.url));
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording;

const dir = newFolder();

function load(definition: unknown, config: object = {}) {
  writeFileSync(join(dir, 'tokenizer.json'), JSON.stringify(definition));
  writeFileSync(join(dir, 'tokenizer_config.json'), JSON.stringify(config));
  return loadTokenizer(dir);
}

test.each(readdirSync(folder))('%s: the same ids, and the same text back', async (file) => {
  const { definition, cases } = read(file);
  const tokenizer = await load(definition);
  const ours = cases.map(([text, , special]) => [
    text,
    tokenizer.encode(text),
    tokenizer.encodeWithSpecials(text),
    tokenizer.decode(special, { keepSpecialTokens: true }),
    tokenizer.decode(special),
  ]);
  expect(ours).toEqual(cases);
});

const bytesOfTokens = (tokenizer: Tokenizer, ids: readonly number[]) => {
  const spelling = new TokenSpelling(tokenizer);
  return ids.map((id) => spelling.next(id));
};

test.each(readdirSync(folder))('%s: the bytes of the tokens are together those of the text', async (file) => {
  const { definition, cases } = read(file);
  const tokenizer = await load(definition);
  const isShown = (ids: readonly number[]) =>
    tokenizer.decode(ids) === tokenizer.decode(ids, { keepSpecialTokens: true });
  const texts = cases.map(([, ids]) => ids).filter(isShown);
  const joined = texts.map((ids) => Buffer.concat(bytesOfTokens(tokenizer, ids)).toString());
  expect(joined).toEqual(texts.map((ids) => tokenizer.decode(ids)));
  expect(texts.length).toBeGreaterThan(2);
});

test.each(['gpt2.json', 'llama2.json'])('%s: a token that is a part of a character has its own bytes', async (file) => {
  const tokenizer = await load(read(file).definition);
  const ids = tokenizer.encode('a\u{1f9ab}'); // F0 9F A6 AB in UTF-8; neither vocabulary has a token for this character
  const bytes = bytesOfTokens(tokenizer, ids).map((each) => [...each]);
  expect(bytes.flat()).toEqual([0x61, 0xf0, 0x9f, 0xa6, 0xab]);
  expect(bytes.length).toBeGreaterThan(2);
});

test.each(['gpt2.json', 'llama2.json', 't5.json', 'bert-cased.json'])('%s: in steps, the same ids', async (file) => {
  const tokenizer = await load(read(file).definition);
  const text = 'is it a word? don’t know. 漢字 '.repeat(2_000);
  let count = 0;
  const steps = tokenizer.encodeInSteps(text, { special: true });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  expect(step.value).toEqual(tokenizer.encodeWithSpecials(text));
  expect(count).toBeGreaterThan(1);
  const limited = [...tokenizer.encodeInSteps(text, { maxTokens: 100 })];
  expect(limited.length).toBeLessThan(count);
});

test.each(['llama2.json', 't5.json'])(
  '%s: a text without a space takes time in proportion, and pauses',
  async (file) => {
    const tokenizer = await load(read(file).definition);
    const steps = [...tokenizer.encodeInSteps('ab'.repeat(40_000))];
    expect(steps.length).toBeGreaterThan(2);
  },
);

describe('what tokenizer_config.json changes, as in transformers', () => {
  test('add_bos_token and add_eos_token have no effect beside tokenizer.json', async () => {
    const { definition } = read('llama2.json');
    const flags = { bos_token: '<s>', eos_token: '</s>', add_bos_token: false, add_eos_token: true };
    const ids = (await load(definition)).encode('is');
    expect((await load(definition, flags)).encodeWithSpecials('is')).toEqual([1, ...ids]);
  });

  test('a special token of the vocabulary that the file does not list is found in a text', async () => {
    const { definition } = read('bert-cased.json');
    const unlisted = { ...definition, added_tokens: [] };
    expect((await load(unlisted)).encode('[MASK]')).not.toEqual([4]);
    const tokenizer = await load(unlisted, { mask_token: '[MASK]' });
    expect(tokenizer.encode('[MASK]')).toEqual([4]);
    expect(tokenizer.decode([4, 10])).toBe(tokenizer.decode([10]));
  });
});

test.each<[string, object, string]>([
  ['a normalizer', { normalizer: { type: 'Mystery' } }, 'the normalizer "Mystery" is not supported'],
  ['a pre-tokenizer', { pre_tokenizer: { type: 'Syllables' } }, 'the pre-tokenizer "Syllables" is not supported'],
  ['a decoder', { decoder: { type: 'Mystery' } }, 'the decoder "Mystery" is not supported'],
  ['a post-processor', { post_processor: { type: 'Mystery' } }, 'the post-processor "Mystery" is not supported'],
  ['dropout', { model: { type: 'BPE', vocab: { a: 0 }, merges: [], dropout: 0.1 } }, 'dropout of 0.1'],
  ['a merge', { model: { type: 'BPE', vocab: { a: 0 }, merges: ['a b'] } }, 'its merges need the token "b"'],
  ['a cut table', { normalizer: { type: 'Precompiled', precompiled_charsmap: '/////w==' } }, 'cut or damaged'],
])('%s that is not supported is refused with the file', async (_, change, message) => {
  const definition = { ...read('gpt2.json').definition, ...change };
  await expect(load(definition)).rejects.toThrow(message);
  await expect(load(definition)).rejects.toThrow(join(dir, 'tokenizer.json'));
});
