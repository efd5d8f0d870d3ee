import { parse } from 'oniguruma-parser/parser';
import { effortOf, isQuick } from './effort.js';
import { wordLevelTokenizer } from '../word-level-tokenizer.js';

const isQuickOn = (pattern: string, length: number) => isQuick(effortOf(parse(pattern)), length);

test.each(["\\p{L}+(?:'\\p{L}+)*", '(?:a|bc)+', '(a+)+|b'])(
  '%s: no repetition is tried again where nothing after it can fail',
  (pattern) => expect([isQuickOn(pattern, 2_000), isQuickOn(pattern, 100_000)]).toEqual([true, false]),
);

test.each(['(a+)+$', '(?:a+)+?b', '(?:a+){2,}', '(?:a*)*', '(?:(?:a+b?)+c)*'])(
  '%s may take exponential time',
  (pattern) => expect(isQuickOn(pattern, 40)).toBe(false),
);

test('the pattern of the built-in tokenizer is quick on the text of a whole episode', () => {
  const definition = wordLevelTokenizer(['Is it big?'], { wholeTokens: [' Yes.\n'] }).definition as {
    pre_tokenizer: { pattern: { Regex: string } };
  };
  expect(isQuickOn(definition.pre_tokenizer.pattern.Regex, 3_000)).toBe(true);
});
