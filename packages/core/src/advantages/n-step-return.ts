/** Consecutive turns of one episode; the value of the first turn's action is estimated. */
export interface TurnsAhead {
  /** [n] r_t … r_{t+n−1}, the reward of each turn. */
  rewards: ArrayLike<number>;
  /** [n] V̄(s_{t+1}) … V̄(s_{t+n}); the last is 0 if the episode terminated there. Without `ratios` only the last is read. */
  nextValues: ArrayLike<number>;
  /** [n − 1] ρ_{t+1} … ρ_{t+n−1}, the truncated ratios of `importanceWeight`; 1 if not given. */
  ratios?: ArrayLike<number>;
}

/**
 * Computes the target of Q(s_t, a_t) from n turns of rewards and the value of the state after them:
 *
 *     G_k = r_k + γ [V̄(s_{k+1}) + ρ_{k+1} (G_{k+1} − V̄(s_{k+1}))],     G_{t+n−1} = r_{t+n−1} + γ V̄(s_{t+n})
 *
 * n = 1 is TD. With ρ = 1 it is the n-step return r_t + γ r_{t+1} + … + γⁿ V̄(s_{t+n}), and with all turns of an episode that
 * terminated the Monte-Carlo return: both estimate values of the policy that sampled the later turns. With ρ = π/μ it estimates values
 * of π (unbiased if no ρ is truncated). The action of turn t itself is given, so it has no ratio.
 *
 * Source: n-step returns, Sutton & Barto 2018, sections 7.1 and 7.4; truncated ratios as in V-trace, Espeholt et al. 2018,
 * arXiv:1802.01561, section 4.1 with ρ̄ = c̄.
 *
 * @param gamma discount per turn
 */
export function nStepReturn({ rewards, nextValues, ratios }: TurnsAhead, gamma: number): number {
  const n = rewards.length;
  if (n === 0 || nextValues.length !== n || (ratios !== undefined && ratios.length !== n - 1))
    throw new RangeError(
      `nStepReturn: rewards has ${n} entries, nextValues ${nextValues.length}, ratios ${ratios?.length ?? 'none'}; ` +
        'they must be n, n and n − 1 with n of at least 1',
    );
  let target = rewards[n - 1] + gamma * nextValues[n - 1];
  for (let k = n - 2; k >= 0; k--) {
    const ahead = ratios === undefined ? target : nextValues[k] + ratios[k] * (target - nextValues[k]);
    target = rewards[k] + gamma * ahead;
  }
  return target;
}

/**
 * Computes the truncated importance weight of an utterance that another policy sampled: ρ = min(π(a|s) / μ(a|s), bound).
 *
 * @param logprob log π(a|s) under the policy that is trained, in nats, summed over the utterance
 * @param samplingLogprob log μ(a|s) under the policy that sampled it
 */
export const importanceWeight = (logprob: number, samplingLogprob: number, bound: number): number =>
  Math.min(Math.exp(logprob - samplingLogprob), bound);
