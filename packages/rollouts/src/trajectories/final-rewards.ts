// Selects the rewards of a rollout that training uses.
import { effectiveRewards } from '../record/effective-rewards.js';
import type { RecordedRollout } from '../record/recorded.js';

/** The name of the reward for training; rewards with other names are components that are only reported. */
export const REWARD = 'reward';

/** The name of the component from a judge of groups. */
export const RANKING = 'ranking';

type Rewarded = Pick<RecordedRollout, 'id' | 'rewards'>;

/** Returns the rewards of the whole rollout, by name. */
export function finalRewards(rollout: Rewarded): Record<string, number> {
  const ofRollout = effectiveRewards(rollout).filter(({ call }) => call === undefined);
  return Object.fromEntries(ofRollout.map(({ name, value }) => [name, value]));
}

/** Returns the rewards by call; calls without a reward are absent. */
export function rewardsOfCalls(rollout: Rewarded): Map<number, number> {
  const ofCalls = effectiveRewards(rollout).filter(({ call, name }) => call !== undefined && name === REWARD);
  return new Map(ofCalls.map(({ call, value }) => [call!, value]));
}

export const missingReward = ({ id }: Rewarded): Error =>
  new Error(
    `rollout ${id} ended without a reward\n` +
      '  print {"reward": 1} as the last line, or return it from a function; post it to BOWYER_ROLLOUT_URL/rewards, or give a judge: task.reward=COMMAND, or ranking.base_url=URL',
  );
