import { commonest } from './common-words.js';
import { readTemplates } from './grammar.js';
import { Machine } from './machine/machine.js';
import { endingIn, maximumIn } from './score.js';
import { loadStory } from './story-file.js';

const machine = new Machine(loadStory(null), { seed: 0, hasUndo: false });

test("a story's sentences are read from its grammar table, meta commands left out", () => {
  const texts = readTemplates(machine).map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining(['take OBJ', 'pick up OBJ', 'put OBJ in OBJ', 'look at OBJ', 'go north']),
  );
  expect(texts).not.toContain('save');
  expect(texts.indexOf('open OBJ')).toBeLessThan(texts.indexOf('open OBJ with OBJ'));
});

test('of several words for the same thing the one players use counts', () => {
  expect(commonest(['carry', 'take', 'hold'])).toBe('take');
  expect(commonest(['northeas', 'northeast'])).toBe('northeast');
});

test.each([
  ['\n  *** You have won ***\n\nWould you like to RESTART or QUIT?', 'line' as const, 'won'],
  ['\n  *** You have missed the train ***\n\nWould you like to RESTART or QUIT?', 'line' as const, 'lost'],
  ['\n****  You have died  ****\n\nAs you take your last breath …', 'line' as const, 'lost'],
  ['\n *** NOTICE *** \n\nThe shop opens at nine.', 'line' as const, null],
  ['Taken.', 'line' as const, null],
  ['Goodbye.', 'halted' as const, 'lost'],
])('the ending of %j', (text, pause, ending) => {
  expect(endingIn(text, pause)).toBe(ending);
});

test('the highest possible score is read from what SCORE says', () => {
  expect(maximumIn('You have so far scored 20 out of a possible 360, in 3 turns.')).toBe(360);
  expect(maximumIn('Your score is 0 (total of 350 points), in 1 move.')).toBe(350);
  expect(maximumIn('There is no score in this story.')).toBeNull();
});
