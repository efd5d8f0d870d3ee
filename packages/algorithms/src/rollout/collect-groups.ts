// Collects rollouts in groups: several episodes of the same task, whose returns are compared with each other.
import {
  choice,
  episodicReturn,
  groupBy,
  integer,
  mean,
  nonNegative,
  standardDeviation,
  type ConfigProblem,
  type Trajectory,
} from '@bowyer/core';
import type { Metrics } from './run-hooks.js';
import type { OpenPlayer } from './player.js';
import { collectEpisodes, type CollectOptions, type PlayContext } from './collect.js';

export const groupSizeOption = (value: number) =>
  integer(value, 'number of episodes in a group; they have the same task and seed, and differ in their samples', {
    flat: 'group_size',
  });

export const groupMembers = ({ groupSize = 8, invalidPenalty = 0 } = {}) => ({
  group_size: groupSizeOption(groupSize),
  sampling_rounds: integer(
    1,
    'rounds of play per iteration at most; above 1, groups whose returns are all equal are dropped and replaced by new ones until ' +
      'the rollout is full (dynamic sampling of DAPO); 1: all groups are used',
    { flat: 'sampling_rounds' },
  ),
  invalid_penalty: nonNegative(
    invalidPenalty,
    'subtracted from the reward of a turn whose action the environment reports as invalid, for learning only',
    { flat: 'invalid_penalty' },
  ),
  truncated_episodes: choice(
    ['learn', 'mask'],
    'learn',
    'whether truncated episodes are trained on like others, or count only in the statistics of their group',
    { flat: 'truncated_episodes' },
  ),
});

export type GroupRolloutOptions = CollectOptions & { rollout: { groupSize: number; samplingRounds: number } };

export interface GroupRollout {
  kept: Trajectory[];
  /** All episodes, including those of dropped groups. */
  played: Trajectory[];
  metrics: Metrics;
}

/**
 * Plays one or more rounds: a further one has new groups in place of those without a signal. Each round has its own episode
 * numbers and thus seeds.
 *
 * @throws {InterruptedError} where the user asks to stop; the iteration has then not changed the policy
 */
export async function collectGroups(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: GroupRolloutOptions,
): Promise<GroupRollout> {
  const { size, groupSize, samplingRounds } = options.rollout;
  const wanted = size / groupSize;
  const played: Trajectory[][] = [];
  const kept: Trajectory[][] = [];
  let round = 0;
  for (; round < samplingRounds && kept.length < wanted; round++) {
    const trajectories = await collectEpisodes({ ...run, givesUp: true }, openPlayer, iteration, options, {
      groupSize,
      firstEpisode: (iteration * samplingRounds + round) * size,
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

interface Groups {
  rollout: { size: number; groupSize: number };
}

/** Reports rollout sizes that are not a multiple of the group size. */
export function wholeGroups({ rollout: { size, groupSize } }: Groups): ConfigProblem[] {
  if (size % groupSize === 0) return [];
  const key = 'algorithm.rollout.size';
  const message = `${key}=${size} is not a multiple of algorithm.rollout.group_size=${groupSize}, so one group would be incomplete`;
  return [{ key, message, remedy: `write ${key}=${Math.ceil(size / groupSize) * groupSize}` }];
}

export function groupProblems(options: Groups & { rollout: { samplingRounds: number } }): ConfigProblem[] {
  const { groupSize, samplingRounds } = options.rollout;
  const problems = wholeGroups(options);
  const key = 'algorithm.rollout.sampling_rounds';
  if (samplingRounds > 1 && groupSize === 1)
    problems.push({
      key,
      message: `${key}=${samplingRounds} with algorithm.rollout.group_size=1: in a group of one all returns are equal, so every episode would be dropped`,
      remedy: `write ${key}=1, or raise algorithm.rollout.group_size`,
    });
  return problems;
}

/** Reports a group size of 1, with which an episode has no other one to be compared with. */
export function aloneProblems({ rollout: { groupSize } }: Groups): ConfigProblem[] {
  if (groupSize > 1) return [];
  const key = 'algorithm.rollout.group_size';
  const message = `${key}=1: an episode has no other to be compared with, so every advantage is 0`;
  return [{ key, message, remedy: `raise ${key}` }];
}

/** Groups episodes, in order; an episode without a group number forms its own group. */
export const groupsOf = (trajectories: readonly Trajectory[]): Trajectory[][] => [
  ...groupBy<Trajectory, unknown>(trajectories, (trajectory) => trajectory.group ?? trajectory).values(),
];

function isFlat(group: readonly Trajectory[]): boolean {
  const returns = group.map(episodicReturn);
  return returns.every((value) => value === returns[0]);
}
