import type { ReplayBuffer, Trajectory } from '@bowyer/core';
import type { ReplayItem } from '../types.js';

/** Stores every turn, episode after episode: the same order when a resumed run fills its buffer again. */
export function insertTurns(replay: ReplayBuffer<ReplayItem>, episodes: readonly Trajectory[]): void {
  for (const trajectory of episodes) trajectory.transitions.forEach((_, turn) => replay.insert({ trajectory, turn }));
}
