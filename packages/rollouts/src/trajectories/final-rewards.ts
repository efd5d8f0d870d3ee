// Selects those rewards of a recorded rollout that training maximises.
import { effectiveRewards } from '../record/effective-rewards.js';
import type { RecordedRollout } from '../record/recorded.js';

/** The name of the reward that training maximises; rewards with other names are components that are only reported. */
export const REWARD = 'reward';

/** The name of the reward component that a judge gives which compares the rollouts of a group. */
export const RANKING = 'ranking';

type Rewarded = Pick<RecordedRollout, 'id' | 'rewards'>;

/** Returns the rewards of a rollout that are for the rollout and not for single calls, by name. */
export function finalRewards(rollout: Rewarded): Record<string, number> {
  const ofRollout = effectiveRewards(rollout).filter(({ call }) => call === undefined);
  return Object.fromEntries(ofRollout.map(({ name, value }) => [name, value]));
}

/** Returns the rewards of single calls, by the number of the call; calls without a reward are absent. */
export function rewardsOfCalls(rollout: Rewarded): Map<number, number> {
  const ofCalls = effectiveRewards(rollout).filter(({ call, name }) => call !== undefined && name === REWARD);
  return new Map(ofCalls.map(({ call, value }) => [call!, value]));
}

export const missingReward = ({ id }: Rewarded): Error =>
  new Error(
    `rollout ${id} ended without a reward\n` +
      '  print {"reward": 1} as the last line, or return it from a function; post it to BOWYER_ROLLOUT_URL/rewards, or give a judge: task.reward=COMMAND, or ranking.base_url=URL',
  );
