import { Rng } from '@bowyer/core';
import { StalenessQueue } from './staleness-queue.js';

/** `slots` players, groups that last 1 to 40 ticks, and a learner that uses at most one rollout every `update` ticks. */
function simulate(maxStaleness: number, { seed, update }: { seed: number; update: number }) {
  const [perRollout, iterations, slots] = [4, 30, 7];
  const queue = new StalenessQueue<number>({ perRollout, maxStaleness });
  const rng = new Rng(seed);
  const ends = new Map<number, number>();
  const began = new Map<number, number>();
  const taken: { group: number; staleness: number }[] = [];
  let [next, iteration, busyUntil, waited] = [0, 0, 0, 0];
  for (let tick = 0; iteration < iterations && tick < 20_000; tick++) {
    for (const [group, end] of ends)
      if (end <= tick) {
        ends.delete(group);
        queue.finish(group, [group]);
      }
    while (ends.size < slots && next < iterations * perRollout && queue.mayBegin(next, iteration)) {
      queue.begin(next, iteration);
      began.set(next, iteration);
      ends.set(next++, tick + (rng.uniform() < 0.1 ? 40 : rng.integer(1, 4)));
    }
    if (tick < busyUntil) continue;
    const groups = queue.take(iteration);
    if (groups === null) {
      waited++;
      continue;
    }
    for (const group of groups.flat()) taken.push({ group, staleness: iteration - began.get(group)! });
    iteration++;
    busyUntil = tick + update;
  }
  return { taken, waited, iteration };
}

test.each([0, 1, 2, 5])('η = %i: each group is learned from once, and none is older than η', (maxStaleness) => {
  for (const update of [1, 5, 50]) {
    for (let seed = 0; seed < 3; seed++) {
      const { taken } = simulate(maxStaleness, { seed, update });
      expect(taken.map(({ group }) => group).sort((a, b) => a - b)).toEqual([...Array(120).keys()]);
      expect(Math.max(...taken.map(({ staleness }) => staleness))).toBeLessThanOrEqual(maxStaleness);
    }
  }
});

test('a larger η waits less for the longest episodes', () => {
  const waits = [0, 1, 2, 5].map((maxStaleness) => simulate(maxStaleness, { seed: 1, update: 5 }).waited);
  expect(waits).toEqual([...waits].sort((a, b) => b - a));
  expect(waits[3]).toBeLessThan(waits[0] / 2);
});

test('a group that is late is awaited, even if enough others have ended', () => {
  // With η = 1 and one group in each rollout, group 0 of version 0 must be learned from at iteration 1.
  const queue = new StalenessQueue<string>({ perRollout: 1, maxStaleness: 1 });
  queue.begin(0, 0);
  queue.begin(1, 0);
  queue.finish(1, ['b']);
  expect(queue.take(0)).toEqual([['b']]);
  expect(queue.mayBegin(2, 0)).toBe(false);
  queue.begin(2, 1);
  queue.finish(2, ['c']);
  expect(queue.take(1)).toBeNull();
  queue.finish(0, []);
  expect(queue.take(1)).toEqual([[]]); // nothing replaces a failed group
});
