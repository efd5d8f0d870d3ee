import { Rng } from '@bowyer/core';
import { longestFirst, promptRuns } from './prompt-runs.js';

const CHUNK = 256;

/** Computes the number of tokens that all runs read, padding included, divided by the number of real tokens. */
function cost(lengths: readonly number[]): number {
  const computed = promptRuns(lengths, CHUNK).reduce((sum, { rows, from, to }) => sum + rows * (to - from), 0);
  return computed / lengths.reduce((sum, length) => sum + length, 0);
}

function sorted(lengths: readonly number[]): number[] {
  const now = [...lengths];
  for (const [a, b] of longestFirst(lengths)) [now[a], now[b]] = [now[b], now[a]];
  return now;
}

test.each([
  ['rows of one length are one run', [90, 90, 90], [{ rows: 3, from: 0, to: 90 }]],
  ['a little padding is accepted', [95, 90, 92], [{ rows: 3, from: 0, to: 95 }]],
  [
    'what one row has more is computed for it alone, first',
    [500, 100, 100],
    [
      { rows: 1, from: 356, to: 500 },
      { rows: 1, from: 100, to: 356 },
      { rows: 3, from: 0, to: 100 },
    ],
  ],
  ['rows without a token take no part', [10, 0], [{ rows: 1, from: 0, to: 10 }]],
  ['nothing', [0, 0], []],
])('%s', (_, lengths, runs) => {
  expect(promptRuns(lengths, CHUNK)).toEqual(runs);
});

test('all tokens once, in order, each row’s last one in the last run, no run longer than a chunk, little padding', () => {
  const rng = new Rng(3);
  for (let i = 0; i < 200; i++) {
    const most = rng.choice([5, 50, 300, 1500]);
    const lengths = sorted(Array.from({ length: rng.integer(1, 64) }, () => rng.integer(1, most)));
    const runs = promptRuns(lengths, CHUNK);
    expect(runs.at(-1)).toMatchObject({ rows: lengths.length, from: 0 });
    runs.forEach(({ rows, from, to }, r) => {
      expect(to - from).toBeLessThanOrEqual(CHUNK);
      expect(to).toBe(r === 0 ? Math.max(...lengths) : runs[r - 1].from);
      lengths.slice(rows).forEach((length) => expect(length).toBeLessThanOrEqual(from));
    });
    if (most >= 300 && lengths.length >= 8) expect(cost(lengths)).toBeLessThan(1.4);
  }
});

test('rows change places only where it spares enough tokens', () => {
  expect(longestFirst([100, 130, 90])).toEqual([]);
  expect(longestFirst([100, 90, 600, 110])).toEqual([[0, 2]]);
  expect(sorted([1, 2, 900, 400])).toEqual([900, 400, 1, 2]);
});
