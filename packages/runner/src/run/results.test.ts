import type { Trajectory } from '@bowyer/core';
import { breakdownOf } from './breakdown.js';
import {
  clustersOf,
  compared,
  resultRows,
  resultText,
  returnInterval,
  testedItems,
  type RunResults,
} from './results.js';

const episode = (number: number, item: string, reward: number, info: Record<string, unknown> = {}): Trajectory => ({
  episode: number,
  seed: number,
  item,
  segments: [],
  transitions: [{ observation: '', action: '', reward, nextObservation: '', terminated: true, truncated: false }],
  infos: [info],
});

const held = { noun: 'goals', shared: false };
const shared = { noun: 'words', shared: true };

test('held-out items are resampled whole, shared ones episode by episode', () => {
  const episodes = [episode(0, 'a', 1), episode(1, 'b', 2), episode(2, 'a', 3)];
  const reward = ({ transitions: [only] }: Trajectory) => only.reward;
  expect(clustersOf(episodes, reward, held)).toEqual([[1, 3], [2]]);
  expect(clustersOf(episodes, reward, shared)).toEqual([[1], [2], [3]]);
});

test('a comparison pairs episodes of the same seed and number and leaves out those that one did not finish', () => {
  const first = new Map([
    ['0/0', episode(0, 'a', 1)],
    ['0/1', episode(1, 'b', 2)],
  ]);
  const second = new Map([
    ['0/0', episode(0, 'a', 3)],
    ['0/2', episode(2, 'c', 9)],
  ]);
  const found = compared({ name: 'A', episodes: first }, { name: 'B', episodes: second }, held, 'greedy');
  expect(found).toMatchObject({
    baseline: 'A',
    name: 'B',
    episodes: 1,
    meanDifference: 2,
    verdict: 'equal', // one item says nothing about other items
  });
  expect(found).not.toHaveProperty('interval');
});

test('the verdict on a comparison needs an interval on one side of 0', () => {
  const played = (rewards: readonly number[]) =>
    new Map(rewards.map((reward, i) => [String(i), episode(i, `task ${i}`, reward)]));
  const verdict = (rewards: readonly number[]) =>
    compared({ name: 'A', episodes: played([0, 0, 1, 0]) }, { name: 'B', episodes: played(rewards) }, held);
  expect(verdict([1, 1, 1, 1]).verdict).toBe('equal'); // differences 1 1 0 1: 0.75 ± 3.18 · 0.25
  expect(verdict([2, 1.9, 3, 2])).toMatchObject({ verdict: 'improved', meanDifference: 1.975 });
  expect(verdict([-2, -2.1, -1, -2]).verdict).toBe('worse');
  expect(resultText(results({ comparisons: [verdict([2, 1.9, 3, 2])] }))).toContain(
    'B: improved beside A, +1.98 (95 %: 1.90 … 2.05) on the same 4 episodes',
  );
});

const results = (more: Partial<RunResults> = {}): RunResults => ({
  iterations: 0,
  policies: [{ name: 'last', decoding: 'sample', metrics: { 'test/episodes': 8, 'test/episodic_return': 1 } }],
  optimalReturn: null,
  calibration: null,
  ...more,
});

test.each([
  [testedItems(held, [episode(0, 'a', 1), episode(1, 'b', 1)], null), 'held-out goals (2 different)'],
  [testedItems(held, [episode(0, 'a', 1)], new Set(['b'])), 'held-out goals (1 different, none of them trained on)'],
  [testedItems(held, [episode(0, 'a', 1)], new Set(['a'])), 'held-out goals (1 different, 1 of them TRAINED ON)'],
  [testedItems(shared, [episode(0, 'dog', 1)], new Set(['dog'])), 'same words, new games (1 different)'],
])('the table says what the test was played on: %#', (items, said) => {
  expect(resultText(results({ items }))).toContain(`sampled play on 8 held-out episodes: ${said}`);
});

test('decodings are named where there are two; an older file without items and intervals is still shown', () => {
  const [policy] = results().policies;
  const rows = resultRows(
    results({ policies: [policy, { ...policy, decoding: 'greedy', interval: { low: 0, high: 2 } }] }),
  );
  expect(rows.map((row) => row.slice(0, 3))).toEqual([
    ['last, sampled', '1.00', '–'],
    ['last, greedy', '1.00', '0.00 … 2.00'],
  ]);
  expect(resultText(results())).toMatch(/sampled play on 8 held-out episodes\ncaution: 8 episodes say little/);
});

test('the interval follows from the episodes alone', () => {
  const episodes = [0, 1, 2, 3].map((i) => episode(i, `item ${i}`, i));
  expect(returnInterval(episodes, held)).toEqual(returnInterval(episodes, held));
});

test('a breakdown is by kind of task, else by item, else empty', () => {
  const households = [
    episode(0, 'x', 1, { taskType: 'heat', won: true }),
    episode(1, 'y', 0, { taskType: 'cool', won: false }),
    episode(2, 'z', 0, { taskType: 'heat', won: false }),
  ];
  expect(breakdownOf('alfworld', households)).toEqual([
    { task: 'cool', episodes: 1, meanReturn: 0, winRate: 0 },
    { task: 'heat', episodes: 2, meanReturn: 0.5, winRate: 0.5 },
  ]);
  expect(breakdownOf('maze', [episode(0, '1,1', -3), episode(1, '1,2', -5)]).map(({ task }) => task)).toEqual([
    '1,1',
    '1,2',
  ]);
  expect(
    breakdownOf(
      'coin',
      Array.from({ length: 30 }, (_, i) => episode(i, `test ${i}`, 1)),
    ),
  ).toEqual([]);
});
