import { nearest } from './nearest.js';

test.each([
  ['clip_rnage', 'clip_range'], // two neighbours swapped: one edit
  ['lrr', 'lr'],
  ['SEED', 'seed'],
  ['gama', 'gamma'],
  ['range', 'clip_range'], // a part of one name is missing
  ['completely', undefined],
])('%s is meant as %s', (typed, meant) => {
  expect(nearest(typed, ['clip_range', 'lr', 'seed', 'gamma'])).toBe(meant);
});
