import { actionLines, atWords, completions, meantAction } from './valid-actions.js';

const actions = ['take red apple', 'take coin', 'open door', 'look around', 'open box'];

test('actions are on one line if they fit', () => {
  expect(actionLines(['north', 'south'], 80)).toEqual(['valid actions: north | south']);
});

test('else they are in columns in the environment’s order, and no action is broken', () => {
  expect(actionLines(actions, 30)).toEqual([
    'valid actions (5):',
    '  take red apple | take coin',
    '  open door | look around',
    '  open box',
  ]);
});

test('an action that is wider than the terminal is broken at a word', () => {
  expect(actionLines(['look', 'put the red apple on the table'], 20)).toEqual([
    'valid actions (2):',
    '  look',
    '  put the red apple',
    '  on the table',
  ]);
});

test('texts are broken between words, and within a word only if it is wider than the terminal', () => {
  expect(atWords('You are in a kitchen.\n  It smells of onions.', 14)).toEqual([
    'You are in a',
    'kitchen.',
    '  It smells',
    '  of onions.',
  ]);
  expect(atWords('abcdefghij', 6)).toEqual(['abcde', 'fghij']);
  expect(atWords('one line of a pipe', Infinity)).toEqual(['one line of a pipe']);
});

test('Tab completes the typed text', () => {
  expect(completions('TAKE', actions)).toEqual([['take red apple', 'take coin'], 'TAKE']);
});

test.each([
  ['take coni', 'take coin'],
  ['Open Box', 'open box'],
  ['open box', undefined], // a valid action
  ['dance', undefined], // no action is similar: it is played unchanged
])('%p may mean %p', (typed, meant) => {
  expect(meantAction(typed, actions)).toBe(meant);
});
