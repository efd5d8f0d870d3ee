import { minibatches } from './minibatches.js';
import { Rng } from './rng.js';

test('every item comes once and the last batch is partial', () => {
  const batches = [...minibatches([1, 2, 3, 4, 5], 2, new Rng(0))];
  expect(batches.map((batch) => batch.length)).toEqual([2, 2, 1]);
  expect(batches.flat().sort()).toEqual([1, 2, 3, 4, 5]);
});
