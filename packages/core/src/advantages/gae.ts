import { sameLength } from '../losses/token-loss.js';

/** Steps of one or more episodes in order of time, one episode after the other. All arrays are [N]; a step is a turn or a token. */
export interface GaeInput {
  rewards: Float32Array;
  /** V(s), the value of the state before each step. */
  values: Float32Array;
  /** V(s′), the value of the state after each step, also at the last step of an episode. */
  nextValues: Float32Array;
  /** 1 if the task ended with the step, so that the next state has no value. */
  terminated: Uint8Array;
  /** 1 if a limit cut the episode after the step: it bootstraps from V(s′), but the next step belongs to another episode. */
  truncated: Uint8Array;
}

/**
 * Computes generalised advantage estimates:
 *
 *     δ_t = r_t + γ V(s_{t+1}) − V(s_t),   V(s_{t+1}) = 0 where terminated
 *     A_t = δ_t + γ λ A_{t+1},             A_{t+1} = 0 across the end of an episode
 *
 * Source: Schulman et al. 2016, arXiv:1506.02438, eq. 16. With tokens as steps, leave out those that the agent did not write, so that
 * γ and λ do not decay over the environment's text. If the last step is neither terminated nor truncated, it is treated as truncated.
 *
 * @param options.gamma discount per step
 * @param options.lambda 0: one-step TD; 1: Monte-Carlo return minus V
 * @returns [N] advantages, and returns A + V, the targets of a value head
 */
export function gae(
  { rewards, values, nextValues, terminated, truncated }: GaeInput,
  { gamma, lambda }: { gamma: number; lambda: number },
): { advantages: Float32Array; returns: Float32Array } {
  sameLength('gae', { rewards, values, nextValues, terminated, truncated });
  const advantages = new Float32Array(rewards.length);
  let ahead = 0;
  for (let t = rewards.length - 1; t >= 0; t--) {
    if (terminated[t] && truncated[t]) throw new RangeError(`gae: step ${t} is both terminated and truncated`);
    const ends = terminated[t] || truncated[t];
    const delta = rewards[t] + (terminated[t] ? 0 : gamma * nextValues[t]) - values[t];
    ahead = delta + (ends ? 0 : gamma * lambda * ahead);
    advantages[t] = ahead;
  }
  return { advantages, returns: advantages.map((advantage, t) => advantage + values[t]) };
}
