import type { Truth } from './attributes/attribute.js';
import { optimalReturn } from './optimum.js';
import { questionSet, type Question } from './questions.js';
import { selectWords } from './word-list.js';
import { subset10 } from './words.js';

const answers = (pattern: string): Truth[] =>
  [...pattern].map((letter) => (letter === 'y' ? 'yes' : letter === 'n' ? 'no' : 'unclear'));
const guesses = (count: number): Question[] =>
  Array.from({ length: count }, (_, place) => {
    const truths = answers('n'.repeat(place) + 'y' + 'n'.repeat(count - place - 1));
    return { wordings: [`is it ${place}?`], truths, guess: place, wins: place };
  });
const attribute = (pattern: string): Question => ({
  wordings: ['?'],
  truths: answers(pattern),
  guess: null,
  wins: null,
});

test('guessing alone wins word k on turn k: mean −(0 + 1 + … + n−1) / n', () => {
  expect(optimalReturn(4, guesses(4), 20)).toBeCloseTo(-(0 + 1 + 2 + 3) / 4);
});

test('an even split of four words costs a turn and saves none: it ties with guessing', () => {
  // Split first: −1, then one word of each pair at once and the other a turn later: −(1 + 2 + 1 + 2) / 4 = −1.5.
  expect(optimalReturn(4, [...guesses(4), attribute('yynn')], 20)).toBeCloseTo(-1.5);
});

test('with eight words the split pays', () => {
  // Guessing alone gives −28/8 = −3.5. Splitting 4 | 4, then guessing: −1 − 1.5 = −2.5.
  expect(optimalReturn(8, [...guesses(8), attribute('yyyynnnn')], 20)).toBeCloseTo(-2.5);
});

test('an unclear answer is a third way to split', () => {
  // Nine words in three classes of three give −1 − (0 + 1 + 2) / 3 = −2.
  expect(optimalReturn(9, [...guesses(9), attribute('yyynnn???')], 20)).toBeCloseTo(-2);
});

test('the turn limit binds: four words, two guesses', () => {
  expect(optimalReturn(4, guesses(4), 2)).toBeCloseTo(-(0 + 1 + 2 + 2) / 4);
});

test('the subset’s optimum: −2.9 with every attribute and with the 20 best', () => {
  const optimum = (attributes: number) =>
    optimalReturn(
      10,
      questionSet({ words: subset10, winTest: 'lastToken', attributes, wordings: 1, maxUnclear: 0.08 }),
      20,
    );
  expect(optimum(20)).toBeCloseTo(-2.9);
  expect(optimum(Infinity)).toBeCloseTo(-2.9);
});

test('a word that no guess can win is refused', () => {
  const words = selectWords(['dog', 'lawn mower']);
  const questions = questionSet({ words, winTest: 'lastToken', attributes: 5, wordings: 1, maxUnclear: 0 });
  expect(() => optimalReturn(2, questions, 20)).toThrow(
    "no question wins word 1; drop it or use winTest 'suffixTokens'",
  );
});

test('too many words are refused', () => {
  expect(() => optimalReturn(17, guesses(17), 20)).toThrow('17 words are too many to solve exactly; at most 16');
});
