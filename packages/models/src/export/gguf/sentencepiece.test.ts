import { HuggingFaceTokenizer } from '@bowyer/text';
import { sentencePiece } from './sentencepiece.js';

const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
const fail = (problem: string) => new Error(problem);

/** Makes a tokenizer like Llama 2's: ids 0 to 2, the byte tokens, then pieces. */
const llama2 = (pieces: readonly string[], merges: readonly string[], normalizer: object | null = null) =>
  new HuggingFaceTokenizer(
    {
      added_tokens: ['<unk>', '<s>', '</s>'].map((content, id) => ({ id, content, special: true })),
      normalizer: normalizer ?? {
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
        vocab: Object.fromEntries(['<unk>', '<s>', '</s>', ...bytes, ...pieces].map((piece, id) => [piece, id])),
        merges,
        unk_token: '<unk>',
        byte_fallback: true,
        fuse_unk: true,
      },
    },
    {},
  );

test('the score of a token is minus the index of the first merge that makes it; kinds are those of llama.cpp', () => {
  const { entries } = sentencePiece(llama2(['▁', 'a', 'b', 'ab', '▁ab'], ['a b', '▁ ab']), 264, fail);
  expect(entries).toMatchObject({
    'tokenizer.ggml.model': { value: 'llama' },
    'tokenizer.ggml.add_space_prefix': { value: true },
    'tokenizer.ggml.unknown_token_id': { value: 0 },
  });
  const of = (key: string) => entries[key].value as readonly number[];
  expect(of('tokenizer.ggml.scores').slice(259).map(Math.abs)).toEqual([0, 0, 0, 0, 1]);
  expect([0, 1, 3, 259].map((id) => of('tokenizer.ggml.token_type')[id])).toEqual([2, 3, 6, 1]);
});

test('merges that leave out a way to make a token are refused', () => {
  const tokenizer = llama2(['a', 'b', 'c', 'ab', 'bc', 'abc'], ['a b', 'ab c', 'b c']);
  expect(() => sentencePiece(tokenizer, 265, fail)).toThrow(
    'its tokenizer does not merge "a" and "bc" to a token that it has',
  );
});

test('a normalizer that llama.cpp does not have is refused', () => {
  const tokenizer = llama2(['a'], [], { type: 'NFKC' });
  expect(() => sentencePiece(tokenizer, 260, fail)).toThrow('its tokenizer has {"type":"NFKC"}');
});
