// Rollouts of groups: several episodes of the same task, whose returns are compared with each other.
import { Type } from '@sinclair/typebox';
import {
  count,
  episodicReturn,
  mean,
  oneOf,
  standardDeviation,
  type ConfigProblem,
  type Trajectory,
} from '@bowyer/core';
import type { Metrics } from './run-hooks.js';
import type { OpenPlayer } from './player.js';
import { collectEpisodes, type CollectOptions, type PlayContext } from './collect.js';

export const groupKeys = {
  group_size: count('number of episodes in a group; they have the same task and seed, and differ in their samples'),
  sampling_rounds: count(
    'rounds of play per iteration at most; above 1, groups whose returns are all equal are dropped and replaced by new ones until ' +
      'the rollout is full (dynamic sampling of DAPO); 1: all groups are used',
  ),
  invalid_penalty: Type.Number({
    minimum: 0,
    description:
      'subtracted from the reward of a turn whose action the environment reports as invalid, for learning only',
  }),
  truncated_episodes: oneOf(
    ['learn', 'mask'],
    'whether truncated episodes are trained on like others, or count only in the statistics of their group',
  ),
};

export interface GroupRolloutOptions extends CollectOptions {
  groupSize: number;
  samplingRounds: number;
}

export interface GroupRollout {
  /** Episodes to learn from, group by group. */
  kept: Trajectory[];
  /** All episodes, those of dropped groups among them. */
  played: Trajectory[];
  metrics: Metrics;
}

/**
 * One iteration's rollout. Rounds have episode numbers, and with them seeds, of their own; those of unplayed rounds are skipped.
 *
 * @throws {InterruptedError} where the user asks to stop: nothing has been learned since the last iteration
 */
export async function collectGroups(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: GroupRolloutOptions,
): Promise<GroupRollout> {
  const { rolloutSize, groupSize, samplingRounds } = options;
  const wanted = rolloutSize / groupSize;
  const played: Trajectory[][] = [];
  const kept: Trajectory[][] = [];
  let round = 0;
  for (; round < samplingRounds && kept.length < wanted; round++) {
    const trajectories = await collectEpisodes({ ...run, givesUp: true }, openPlayer, iteration, options, {
      groupSize,
      firstEpisode: (iteration * samplingRounds + round) * rolloutSize,
      episodes: (wanted - kept.length) * groupSize,
    });
    const groups = groupsOf(trajectories);
    for (const group of groups) {
      played.push(group);
      if (samplingRounds === 1 || !isFlat(group)) kept.push(group);
    }
  }
  const spreads = played.map((group) => standardDeviation(group.map(episodicReturn)));
  return {
    kept: kept.flat(),
    played: played.flat(),
    metrics: {
      'groups/played': played.length,
      'groups/kept': kept.length,
      'groups/rounds': round,
      'groups/flat_share': mean(played.map((group) => (isFlat(group) ? 1 : 0))),
      'groups/return_std_mean': mean(spreads),
    },
  };
}

/** A problem where groups would not be whole. */
export function wholeGroups({ rolloutSize, groupSize }: { rolloutSize: number; groupSize: number }): ConfigProblem[] {
  if (rolloutSize % groupSize === 0) return [];
  const message = `rollout_size=${rolloutSize} is not a multiple of group_size=${groupSize}, so one group would be incomplete`;
  const remedy = `write rollout_size=${Math.ceil(rolloutSize / groupSize) * groupSize}`;
  return [{ key: 'rollout_size', message, remedy }];
}

export function groupProblems(options: {
  rolloutSize: number;
  groupSize: number;
  samplingRounds: number;
}): ConfigProblem[] {
  const { groupSize, samplingRounds } = options;
  const problems = wholeGroups(options);
  if (samplingRounds > 1 && groupSize === 1)
    problems.push({
      key: 'sampling_rounds',
      message: `sampling_rounds=${samplingRounds} with group_size=1: in a group of one all returns are equal, so every episode would be dropped`,
      remedy: 'write sampling_rounds=1, or raise group_size',
    });
  return problems;
}

/** A problem where every group is one episode. */
export function aloneProblems({ groupSize }: { groupSize: number }): ConfigProblem[] {
  if (groupSize > 1) return [];
  const message = 'group_size=1: an episode has no other to be compared with, so every advantage is 0';
  return [{ key: 'group_size', message, remedy: 'raise group_size' }];
}

/** Episodes of each group, in order; an episode without a group is one of its own. */
export function groupsOf(trajectories: readonly Trajectory[]): Trajectory[][] {
  const groups = new Map<unknown, Trajectory[]>();
  for (const trajectory of trajectories) {
    const key = trajectory.group ?? trajectory;
    groups.set(key, [...(groups.get(key) ?? []), trajectory]);
  }
  return [...groups.values()];
}

/** All returns equal: nothing to compare. */
function isFlat(group: readonly Trajectory[]): boolean {
  const returns = group.map(episodicReturn);
  return returns.every((value) => value === returns[0]);
}
