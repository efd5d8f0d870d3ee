// Selects those rewards of a recorded rollout that count, since a reward may be reported several times or too late.
import type { RecordedReward, RecordedRollout } from './recorded.js';

/**
 * Returns the last reward of each name and call (or the rollout) before the policy learned from it. Others stay in the record.
 */
export function effectiveRewards({ rewards }: Pick<RecordedRollout, 'rewards'>): RecordedReward[] {
  const last = new Map<string, RecordedReward>();
  for (const reward of rewards)
    if (!reward.isLate) last.set(JSON.stringify([reward.name, reward.call ?? null]), reward);
  return [...last.values()];
}
