// Which of a rollout's rewards count.
import type { RecordedReward, RecordedRollout } from './recorded.js';

/**
 * Of rewards of the same name for the same call (or for the rollout as a whole) the last one counts, if it came before the rollout was
 * learnt. All others are kept in the record.
 */
export function effectiveRewards({
  rewards,
  learntAt,
}: Pick<RecordedRollout, 'rewards' | 'learntAt'>): RecordedReward[] {
  const last = new Map<string, RecordedReward>();
  for (const reward of rewards)
    if (learntAt === undefined || reward.at <= learntAt)
      last.set(JSON.stringify([reward.name, reward.call ?? null]), reward);
  return [...last.values()];
}
