// Selects the rewards of a rollout that count.
import type { RecordedReward, RecordedRollout } from './recorded.js';

/**
 * Returns the rewards that count: for each name and call (or the whole rollout), the last one before the policy learned from the
 * rollout. The record contains the others too.
 */
export function effectiveRewards({ rewards }: Pick<RecordedRollout, 'rewards'>): RecordedReward[] {
  const last = new Map<string, RecordedReward>();
  for (const reward of rewards)
    if (!reward.isLate) last.set(JSON.stringify([reward.name, reward.call ?? null]), reward);
  return [...last.values()];
}
