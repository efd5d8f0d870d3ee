import { bytePairTokenizer } from './byte-pair-tokenizer.js';

const texts = ['low low low low low lower lower newest newest newest newest newest newest widest widest widest'];
const made = (options: { size?: number; wholeTokens?: string[] } = {}) =>
  bytePairTokenizer(texts, { size: 1000, endToken: '<end>', ...options });
const pieces = (tokenizer: ReturnType<typeof made>, text: string) =>
  tokenizer.encode(text).map((id) => tokenizer.decode([id], { keepSpecialTokens: true }));

test('the pairs of tokens that are most frequent are merged, one after the other, as in the paper', () => {
  // Merges and their counts: e s 9, es t 9, l o 7, lo w 7, n e 6 (Sennrich et al., figure 1 and algorithm 1, without end-of-word
  // marks)
  const { merges } = made({ size: 2 + 256 + 5 }).definition.model as { merges: string[][] };
  expect(merges).toEqual([
    ['e', 's'],
    ['es', 't'],
    ['l', 'o'],
    ['lo', 'w'],
    ['n', 'e'],
  ]);
  expect(pieces(made(), 'newest lowest')).toEqual(['newest', ' ', 'low', 'est']);
});

test('a word has the same tokens behind a space, a quotation mark and a digit', () => {
  expect(pieces(made(), '"low low4low')).toEqual(['"', 'low', ' ', 'low', '4', 'low']);
});

test('given texts are one token each, and any text is written back as it was', () => {
  const tokenizer = made({ wholeTokens: ['### user\n', '", "day": "'] });
  expect(pieces(tokenizer, '### user\nlow", "day": "')).toEqual(['### user\n', 'low', '", "day": "']);
  const text = 'Żółć 🦊\t“new”  123\n\n<end>';
  expect(tokenizer.decode(tokenizer.encode(text), { keepSpecialTokens: true })).toBe(text);
  expect(tokenizer.decode([tokenizer.padTokenId, tokenizer.eosTokenId], { keepSpecialTokens: true })).toBe(
    '<pad><end>',
  );
});

test('a pair that occurs once is not merged, and no vocabulary is larger than asked for', () => {
  expect(made({ size: 300 }).vocabSize).toBeLessThanOrEqual(300);
  expect(bytePairTokenizer(['abc'], { size: 1000, endToken: '<end>' }).vocabSize).toBe(258);
});
