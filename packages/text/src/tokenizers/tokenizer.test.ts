// Compares real tokenizers (GPT-2, BERT, Llama 2 and the small ones) with ids recorded from the Python library.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, recordings, whenRecorded } from '@bowyer/testing';
import { HuggingFaceTokenizer, loadTokenizer } from './tokenizer.js';

const models = recordings('models');
interface Case {
  text: string;
  ids: number[];
  decoded_with_special?: string;
  decoded_without_special?: string;
}
const referenceOf = (name: string) => {
  const reference = JSON.parse(readFileSync(join(models, name, 'reference.json'), 'utf8'));
  return (reference.cases ?? reference.tokenizer_cases) as Case[];
};

whenRecorded('models').describe('against the Python tokenizers', () => {
  const recorded = ['tokenizer-gpt2', 'tokenizer-bert-uncased', 'tokenizer-llama2'];

  test.each([...recorded, 'llama-stories260k', 'llama-babyllama-105', 'albert-rxnmapper'])(
    '%s: the same ids in every case',
    async (name) => {
      const tokenizer = await loadTokenizer(join(models, name));
      const cases = referenceOf(name);
      expect(cases.length).toBeGreaterThan(3);
      expect(cases.map(({ text }) => tokenizer.encodeWithSpecials(text))).toEqual(cases.map(({ ids }) => ids));
    },
  );

  test.each(recorded)('%s: the same text back', async (name) => {
    const tokenizer = await loadTokenizer(join(models, name));
    const cleanUpSpaces = name !== 'tokenizer-llama2'; // as each tokenizer_config.json says
    const cases = referenceOf(name).filter((c) => c.decoded_with_special !== undefined);
    expect(cases.length).toBeGreaterThan(10);
    const decoded = (keepSpecialTokens: boolean) =>
      cases.map(({ ids }) => tokenizer.decode(ids, { keepSpecialTokens, cleanUpSpaces }));
    expect(decoded(true)).toEqual(cases.map((c) => c.decoded_with_special));
    expect(decoded(false)).toEqual(cases.map((c) => c.decoded_without_special));
  });

  test('special ids: GPT-2 pads with its end of text, BERT has [PAD] and ends with [SEP]', async () => {
    const gpt2 = await loadTokenizer(join(models, 'tokenizer-gpt2'));
    expect([gpt2.vocabSize, gpt2.eosTokenId, gpt2.padTokenId]).toEqual([50257, 50256, 50256]);
    const bert = await loadTokenizer(join(models, 'tokenizer-bert-uncased'));
    expect([bert.vocabSize, bert.eosTokenId, bert.padTokenId]).toEqual([30522, 102, 0]);
  });

  test('without clean-up, GPT-2 style decoding gives every space back', async () => {
    const tokenizer = await loadTokenizer(join(models, 'tokenizer-gpt2'));
    const text = 'is it a dog ? Yes .\n do  not';
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    expect(tokenizer.decode([])).toBe('');
  });

  test('a saved tokenizer loads again and gives the same ids', async () => {
    const dir = newFolder();
    const original = await loadTokenizer(join(models, 'tokenizer-llama2'));
    await original.save(dir);
    const copy = await loadTokenizer(dir);
    const text = 'Is it bigger than a bread-box?\n Yes.\n é 漢字 🙂';
    expect(copy.encodeWithSpecials(text)).toEqual(original.encodeWithSpecials(text));
    expect(copy.eosTokenId).toBe(2);
  });
});

describe('errors', () => {
  let dir: string;
  beforeEach(() => {
    dir = newFolder();
  });

  test('a missing directory', async () => {
    await expect(loadTokenizer(join(dir, 'nowhere'))).rejects.toThrow(
      [`Tokenizer: ${join(dir, 'nowhere')} is not a directory`, '  give the directory of a Hugging Face model'].join(
        '\n',
      ),
    );
  });

  test('a directory without tokenizer.json', async () => {
    await expect(loadTokenizer(dir)).rejects.toThrow(
      [
        `Tokenizer: ${join(dir, 'tokenizer.json')} does not exist`,
        '  vocab.json with merges.txt or a sentencepiece model alone is not enough; save the model with a fast tokenizer',
      ].join('\n'),
    );
  });

  test('a truncated file', async () => {
    writeFileSync(join(dir, 'tokenizer.json'), '{"model": {');
    await expect(loadTokenizer(dir)).rejects.toThrow(`Tokenizer: ${join(dir, 'tokenizer.json')} is not JSON: `);
  });
});

test('a vocabulary of 262,144 entries, as many as any published model has', () => {
  const words = Array.from({ length: 262_144 }, (_, id) => [`w${id}`, id]);
  const model = { type: 'WordLevel', vocab: Object.fromEntries(words), unk_token: 'w0' };
  const rest = { normalizer: null, post_processor: null, decoder: null, added_tokens: [] };
  const tokenizer = new HuggingFaceTokenizer({ model, pre_tokenizer: { type: 'Whitespace' }, ...rest }, {});
  expect(tokenizer.vocabSize).toBe(262_144);
  expect(tokenizer.encode('w5 w262143')).toEqual([5, 262_143]);
});

test('130,000 tokens of byte-level BPE with their merges load, encode and decode', () => {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
  const pairs = letters.flatMap((a) => letters.map((b) => a + b));
  const triples = pairs.flatMap((pair) => letters.map((c) => [pair, c] as const));
  const quads = triples.flatMap(([pair, c]) => pairs.slice(0, 7).map((end) => [pair + c, end] as const));
  const merges = [...pairs.map(([a, b]) => [a, b] as const), ...triples, ...quads.slice(0, 111_722)];
  const tokens = [...letters, ...merges.map(([left, right]) => left + right)];
  expect(tokens).toHaveLength(130_000);
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  const pre_tokenizer = { type: 'ByteLevel', add_prefix_space: false };
  const added_tokens = [{ id: 130_000, content: '<|end|>', special: true, normalized: false }];
  const definition = {
    model: { type: 'BPE', vocab, merges },
    pre_tokenizer,
    decoder: { type: 'ByteLevel' },
    added_tokens,
  };
  const tokenizer = new HuggingFaceTokenizer(definition, { eos_token: '<|end|>' });
  expect([tokenizer.vocabSize, tokenizer.eosTokenId]).toEqual([130_001, 130_000]);
  const ids = tokenizer.encode('abcaf<|end|>zz');
  expect(ids.map((id) => tokens[id] ?? '<|end|>')).toEqual(['abcaf', '<|end|>', 'zz']);
  expect(tokenizer.decode(ids, { keepSpecialTokens: true })).toBe('abcaf<|end|>zz');
});
