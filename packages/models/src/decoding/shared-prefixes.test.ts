import { sharedPrefixes } from './shared-prefixes.js';

const unread = (...prompts: number[][]) => prompts.map((tokens) => ({ tokens, cached: 0 }));

test('equal prompts: one reads all but the last token, which is fed for each', () => {
  expect(sharedPrefixes(unread([1, 2, 3], [1, 2, 3], [1, 2, 3]), 2)).toEqual([
    {
      reads: [{ prompt: 0, start: 0, end: 2 }],
      copies: [
        { from: 0, to: 1, length: 2 },
        { from: 0, to: 2, length: 2 },
      ],
    },
  ]);
});

test('instructions for all, then a task for each group: two stages', () => {
  const stages = sharedPrefixes(unread([9, 9, 1, 1, 5], [9, 9, 2, 2, 5], [9, 9, 1, 1, 6], [9, 9, 2, 2, 6]), 2);
  expect(stages).toEqual([
    { reads: [{ prompt: 0, start: 0, end: 2 }], copies: [2, 1, 3].map((to) => ({ from: 0, to, length: 2 })) },
    {
      reads: [
        { prompt: 0, start: 2, end: 4 },
        { prompt: 1, start: 2, end: 4 },
      ],
      copies: [
        { from: 0, to: 2, length: 4 },
        { from: 1, to: 3, length: 4 },
      ],
    },
  ]);
});

test('a prompt that is cached further reads nothing for the others, and nothing is copied to it', () => {
  const prompts = [
    { tokens: [1, 2, 3, 0], cached: 0 },
    { tokens: [1, 2, 3, 4, 5, 6, 7], cached: 4 },
  ];
  expect(sharedPrefixes(prompts, 2)).toEqual([{ reads: [], copies: [{ from: 1, to: 0, length: 3 }] }]);
});

test('a short common prefix is read by each slot', () => {
  expect(sharedPrefixes(unread([1, 2, 3, 4, 5], [1, 2, 4, 4, 5]), 3)).toEqual([]);
});
