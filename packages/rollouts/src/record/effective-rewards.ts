// The rewards of a rollout that count.
import type { RecordedReward, RecordedRollout } from './recorded.js';

/**
 * The last reward of a name for a call (or for the rollout as a whole) counts, if it came before the rollout was learnt. All others
 * are kept in the record.
 */
export function effectiveRewards({ rewards }: Pick<RecordedRollout, 'rewards'>): RecordedReward[] {
  const last = new Map<string, RecordedReward>();
  for (const reward of rewards)
    if (!reward.isLate) last.set(JSON.stringify([reward.name, reward.call ?? null]), reward);
  return [...last.values()];
}
