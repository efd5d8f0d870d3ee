import { actionLines, completions, meantAction } from './valid-actions.js';

const actions = ['take red apple', 'take coin', 'open door', 'look around', 'open box'];

test('on one line where they fit', () => {
  expect(actionLines(['north', 'south'], 80)).toEqual(['valid actions: north | south']);
});

test('grouped by their first word where they do not, each action whole', () => {
  expect(actionLines(actions, 30)).toEqual([
    'valid actions (5):',
    '        look around',
    '  take  take red apple',
    '        take coin',
    '  open  open door | open box',
  ]);
});

test('Tab completes what is typed', () => {
  expect(completions('TAKE', actions)).toEqual([['take red apple', 'take coin'], 'TAKE']);
});

test.each([
  ['take coni', 'take coin'],
  ['Open Box', 'open box'],
  ['open box', undefined], // a valid one
  ['dance', undefined], // nothing near: played as it is
])('%p may mean %p', (typed, meant) => {
  expect(meantAction(typed, actions)).toBe(meant);
});
