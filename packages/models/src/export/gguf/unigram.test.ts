import { HuggingFaceTokenizer } from '@bowyer/text';
import { areCharacters, characters, unigram } from './unigram.js';

const fail = (problem: string) => new Error(problem);
const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };
const strip = { type: 'Strip', strip_left: false, strip_right: true };
const join = { type: 'Replace', pattern: { Regex: ' {2,}' }, content: '▁' };

interface Parts {
  normalizers?: object[];
  pre_tokenizer?: object | null;
  vocab?: [string, number][];
  model?: object;
}

/** Makes a tokenizer like T5's, without its table of characters: ids 0 to 2 are padding, end and unknown. */
const t5 = ({ normalizers = [strip, join], pre_tokenizer = metaspace, vocab = [], model = {} }: Parts = {}) =>
  new HuggingFaceTokenizer(
    {
      added_tokens: ['<pad>', '</s>'].map((content, id) => ({ id, content, special: true })),
      normalizer: { type: 'Sequence', normalizers },
      pre_tokenizer,
      decoder: metaspace,
      model: {
        type: 'Unigram',
        vocab: [['<pad>', 0], ['</s>', 0], ['<unk>', 0], ['▁', -2], ['▁a', -3.5], ['b', -4], ...vocab],
        unk_id: 2,
        ...model,
      },
    },
    { eos_token: '</s>' },
  );

test('scores are those of the tokenizer, kinds those of llama.cpp; a row without a token is never read in a text', () => {
  const { entries, notes } = unigram(t5(), 7, fail);
  expect(notes).toEqual([]);
  expect(entries).toMatchObject({
    'tokenizer.ggml.model': { value: 't5' },
    'tokenizer.ggml.token_type': { value: [3, 3, 2, 1, 1, 1, 5] },
    'tokenizer.ggml.scores': { value: [0, 0, 0, -2, -3.5, -4, -1e30] },
    'tokenizer.ggml.unknown_token_id': { value: 2 },
    'tokenizer.ggml.add_space_prefix': { value: true },
    'tokenizer.ggml.remove_extra_whitespaces': { value: true },
  });
  expect(entries['tokenizer.ggml.precompiled_charsmap']).toBeUndefined();
});

test('the table of characters is written as the bytes that tokenizer.json has in base 64', () => {
  // The table has a trie of one unit without entries, and one empty replacement.
  const table = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0]);
  const precompiled = { type: 'Precompiled', precompiled_charsmap: table.toString('base64') };
  const { entries } = unigram(t5({ normalizers: [precompiled, strip, join] }), 6, fail);
  expect([...(entries['tokenizer.ggml.precompiled_charsmap'].value as Uint8Array)]).toEqual([...table]);
});

test('a difference that remains is noted', () => {
  const plain = t5({ normalizers: [], pre_tokenizer: metaspace, vocab: [['c', -4.1]] });
  expect(unigram(plain, 7, fail).notes).toEqual([
    'a text that begins with a space begins with one space more in llama.cpp',
    'the scores of the tokenizer are float64, in GGUF float32: of segmentations that are equally good, another may be taken',
  ]);
});

/** Makes a BPE tokenizer without merges, as small models of characters have. */
const letters = (model: object = {}) =>
  new HuggingFaceTokenizer(
    {
      added_tokens: [{ id: 0, content: '<unk>', special: true }],
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'Prepend', prepend: '▁' },
          { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        ],
      },
      pre_tokenizer: null,
      decoder: { type: 'Fuse' },
      model: {
        type: 'BPE',
        vocab: { '<unk>': 0, '▁': 1, a: 2 },
        merges: [],
        unk_token: '<unk>',
        fuse_unk: true,
        ...model,
      },
    },
    {},
  );

test('a vocabulary of single characters is written as a unigram model with equal scores', () => {
  expect(areCharacters(letters())).toBe(true);
  const { entries } = characters(letters(), 3, fail);
  expect(entries).toMatchObject({
    'tokenizer.ggml.model': { value: 't5' },
    'tokenizer.ggml.scores': { value: [0, -1, -1] },
    'tokenizer.ggml.token_type': { value: [2, 1, 1] },
    'tokenizer.ggml.add_space_prefix': { value: true },
    'tokenizer.ggml.remove_extra_whitespaces': { value: false },
  });
  // Such a tokenizer never produces a token of two characters without a merge, but llama.cpp would.
  expect(areCharacters(letters({ vocab: { '<unk>': 0, '▁': 1, ab: 2 } }))).toBe(false);
  expect(areCharacters(letters({ fuse_unk: false }))).toBe(false);
});

const splitsAnywhere = { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace] };

test.each<[string, Parts]>([
  ['spells unknown characters by bytes (byte_fallback)', { model: { byte_fallback: true }, vocab: [['<0x41>', -5]] }],
  ['has no unknown token (unk_id)', { model: { unk_id: null } }],
  ['has the token "b▁c" over one', { vocab: [['b▁c', -5]] }],
  [
    'has no token ▁',
    {
      model: {
        vocab: [
          ['<pad>', 0],
          ['</s>', 0],
          ['<unk>', 0],
          ['▁a', -2],
        ],
      },
    },
  ],
  [
    'the least score of its tokenizer is that of a special token',
    {
      model: {
        vocab: [
          ['<pad>', -9],
          ['</s>', 0],
          ['<unk>', 0],
          ['▁', -2],
        ],
      },
    },
  ],
  ['has {"type":"NFKC"}', { normalizers: [{ type: 'NFKC' }, strip, join] }],
  ['joins spaces and keeps one at the end of a text', { normalizers: [join] }],
  ['strips texts (Strip)', { normalizers: [strip] }],
  ['joins spaces and puts none before a text', { pre_tokenizer: { ...metaspace, prepend_scheme: 'never' } }],
  ['does not write spaces as ▁', { pre_tokenizer: null }],
  ['cuts texts at any white space (WhitespaceSplit)', { pre_tokenizer: splitsAnywhere }],
])('a tokenizer is refused that %s', (problem, parts) => {
  expect(() => unigram(t5(parts), 8, fail)).toThrow(problem);
});
