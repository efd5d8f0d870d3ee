// Fills an algorithm's replay buffer with turns; with several ranks, the buffer may be divided among them.
import { integer, maximum, mean, minimum, oneRank, ReplayBuffer, Rng, type Ranks, type Trajectory } from '@bowyer/core';
import type { Metrics } from './run-hooks.js';

/** A stored turn. It refers to its trajectory, so that the turns of a trajectory share its memory. */
export interface ReplayItem {
  trajectory: Trajectory;
  turn: number;
}

export const capacityOption = integer(100_000, 'size of the replay buffer in turns', { flat: 'capacity' });

/** `global`: each rank (process of a data-parallel run) stores all turns. `local`: those of the episodes assigned to it. */
export type ReplayPlacement = 'global' | 'local';

export function openReplay(
  { ranks = oneRank, replayPlacement = 'global' }: { ranks?: Ranks; replayPlacement?: ReplayPlacement },
  capacity: number,
): ReplayBuffer<ReplayItem> {
  if (ranks.size === 1 || replayPlacement === 'global') return new ReplayBuffer(capacity);
  return new LocalReplay(Math.ceil(capacity / ranks.size), ranks);
}

/**
 * One rank's share of a buffer: each rank draws its part of a batch, and the parts are exchanged. The turns differ from those
 * that a single process would draw, but have the same distribution.
 */
class LocalReplay extends ReplayBuffer<ReplayItem> {
  constructor(
    capacity: number,
    private readonly ranks: Ranks,
  ) {
    super(capacity);
  }

  /** Stores an item if its episode belongs to this rank; episodes are assigned to the ranks in turn. */
  override insert(item: ReplayItem): void {
    if (item.trajectory.episode % this.ranks.size === this.ranks.rank) super.insert(item);
  }

  override sample(count: number, rng: Rng): ReplayItem[] {
    const { rank, size } = this.ranks;
    const seed = rng.uint32(); // the seed is the same on every rank
    const own = Math.floor((count * (rank + 1)) / size) - Math.floor((count * rank) / size);
    return this.ranks.gather(super.sample(own, Rng.forPurpose(seed, `rank ${rank}`))).flat();
  }
}

/** Stores every turn, episode after episode, in the same order as when a resumed run fills its buffer again. */
export function insertTurns(replay: ReplayBuffer<ReplayItem>, episodes: readonly Trajectory[]): void {
  for (const trajectory of episodes) trajectory.transitions.forEach((_, turn) => replay.insert({ trajectory, turn }));
}

export function rewardMetrics(episodes: readonly Trajectory[]): Metrics {
  const rewards = episodes.flatMap(({ transitions }) => transitions.map(({ reward }) => reward));
  return {
    'rollout/reward_mean': mean(rewards),
    'rollout/reward_max': maximum(rewards),
    'rollout/reward_min': minimum(rewards),
  };
}
