// Which of the rewards that were recorded for a rollout count: of each name, the last one before the rollout is learned from.
import type { RecordedRollout } from '../record/recorded.js';

/** The name of the reward that is learned from; other names are components that are only reported. */
export const REWARD = 'reward';

type Rewarded = Pick<RecordedRollout, 'id' | 'rewards'>;

/** The rewards of the rollout as a whole, by name. */
export function finalRewards({ rewards }: Pick<RecordedRollout, 'rewards'>): Record<string, number> {
  return Object.fromEntries(rewards.flatMap(({ name, value, call }) => (call === undefined ? [[name, value]] : [])));
}

/** @returns null where the call has none of its own */
export function rewardOfCall({ rewards }: Pick<RecordedRollout, 'rewards'>, call: number): number | null {
  return rewards.findLast((reward) => reward.call === call && reward.name === REWARD)?.value ?? null;
}

export const missingReward = ({ id }: Rewarded): Error =>
  new Error(
    `rollout ${id} ended without a reward\n` +
      '  print {"reward": 1} as the last line, post it to BOWYER_ROLLOUT_URL/rewards, or give a judge: reward=COMMAND',
  );
