// Tests that groups without a signal are replaced by new ones, with seeds that depend only on the iteration and the round.
import { episodicReturn } from '@bowyer/core';
import type { Player } from '../index.js';
import { collectGroups, groupProblems, groupsOf } from './collect-groups.js';
import { EchoGame } from '../../test/echo-game.js';

const guessing: Player = {
  act: async (requests) => requests.map(({ rng }) => ({ action: rng.choice(['red', 'green', 'blue']) })),
  close: async () => {},
};
const run = { makeEnv: () => new EchoGame(), hooks: { progress: () => {} } };
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
const options = { seed: 7, slots: 4, sampling };
const groups = { size: 12, groupSize: 2, samplingRounds: 8 };
const collect = (iteration: number, changes: Partial<typeof groups> = {}, player = guessing) =>
  collectGroups(run, async () => player, iteration, { ...options, rollout: { ...groups, ...changes } });

test('without rounds, all groups are used, those with equal returns too', async () => {
  const { kept, played, metrics } = await collect(0, { samplingRounds: 1 });
  expect(kept).toEqual(played);
  expect(kept).toHaveLength(12);
  expect(metrics).toMatchObject({ 'groups/played': 6, 'groups/kept': 6, 'groups/rounds': 1 });
});

test('with rounds, the rollout is full of groups whose returns differ; all episodes are counted', async () => {
  const { kept, played, metrics } = await collect(1);
  const groups = groupsOf(kept);
  expect(groups).toHaveLength(6);
  for (const group of groups) expect(new Set(group.map(episodicReturn)).size).toBe(2);
  expect(metrics['groups/rounds']).toBeGreaterThan(1);
  expect(metrics['groups/flat_share']).toBeCloseTo(1 - 6 / metrics['groups/played']);
  expect(played).toHaveLength(2 * metrics['groups/played']);
  const numbers = played.map(({ episode }) => episode);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers[0]).toBe(1 * 8 * 12); // an iteration has eight rounds of twelve numbers
  expect(await collect(1)).toEqual(await collect(1));
});

test('where no group has signal, nothing is left to learn from after the last round', async () => {
  const stubborn = { ...guessing, act: async (requests: unknown[]) => requests.map(() => ({ action: 'red' })) };
  const { kept, metrics } = await collect(0, { samplingRounds: 2 }, stubborn);
  expect(kept).toEqual([]);
  expect(metrics).toMatchObject({ 'groups/played': 12, 'groups/kept': 0, 'groups/flat_share': 1 });
});

test.each([
  [{ size: 12, groupSize: 5, samplingRounds: 1 }, ['algorithm.rollout.size']],
  [{ size: 12, groupSize: 1, samplingRounds: 3 }, ['algorithm.rollout.sampling_rounds']],
  [{ size: 12, groupSize: 4, samplingRounds: 3 }, []],
])('%j: problems with %j', (rollout, keys) => {
  expect(groupProblems({ rollout }).map(({ key }) => key)).toEqual(keys);
});
