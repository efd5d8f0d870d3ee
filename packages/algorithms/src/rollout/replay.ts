import { maximum, mean, minimum, type ReplayBuffer, type Trajectory } from '@bowyer/core';
import type { Metrics, ReplayItem } from '../types.js';

/** Stores every turn, episode after episode: the same order when a resumed run fills its buffer again. */
export function insertTurns(replay: ReplayBuffer<ReplayItem>, episodes: readonly Trajectory[]): void {
  for (const trajectory of episodes) trajectory.transitions.forEach((_, turn) => replay.insert({ trajectory, turn }));
}

/** Rewards of the single turns of a rollout. */
export function rewardMetrics(episodes: readonly Trajectory[]): Metrics {
  const rewards = episodes.flatMap(({ transitions }) => transitions.map(({ reward }) => reward));
  return {
    'rollout/reward_mean': mean(rewards),
    'rollout/reward_max': maximum(rewards),
    'rollout/reward_min': minimum(rewards),
  };
}
