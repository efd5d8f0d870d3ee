import { checkCharacters, noCut } from './request-bounds.js';
import type { SteppedTokenizer } from './stepped-tokenizer.js';

const check = (count: number, longestToken: number, contextLength = 1_000) => {
  const tokenizer = { longestToken } as SteppedTokenizer;
  checkCharacters(count, { contextLength, tokenizer, defaults: { maxTokens: 1 } }, 'messages', noCut);
};
const refusal = (rest: string) =>
  `This model's maximum context length is 1000 tokens. However, your messages have ${rest}. Please`;

test('a text is encoded unless it has more than 16 characters for each token of the context, or 32,768 where that is more', () => {
  check(32_768, 128);
  expect(() => check(32_769, 128)).toThrow(
    refusal('32769 characters, which are more tokens even at 16 characters each'),
  );
  check(16 * 4_000, 128, 4_000);
  expect(() => check(9_001, 9)).toThrow(refusal('9001 characters, which are more tokens even at 9 characters each'));
});

test('a tokenizer that has whole instructions as one token encodes prompts with them, up to a bound', () => {
  check(2 ** 20, 20_000);
  expect(() => check(2 ** 20 + 1, 20_000)).toThrow(refusal('1048577 characters; at most 1048576 are read'));
});
