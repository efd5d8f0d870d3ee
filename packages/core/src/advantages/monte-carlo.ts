/**
 * Monte-Carlo return of every turn of one episode, G_t = Σ_{k≥t} γ^{k−t} r_k.
 *
 * @param rewards [turns]
 * @param gamma discount per turn
 * @param valueBeyond V(s_T) of an episode that was cut, to bootstrap from; 0 for one that terminated
 * @returns [turns]
 */
export function discountedReturns(rewards: readonly number[], gamma: number, valueBeyond = 0): number[] {
  const returns = new Array<number>(rewards.length);
  let ahead = valueBeyond;
  for (let t = rewards.length - 1; t >= 0; t--) {
    ahead = rewards[t] + gamma * ahead;
    returns[t] = ahead;
  }
  return returns;
}

/**
 * Monte-Carlo advantages with a baseline, A_t = G_t − b_t.
 *
 * Source: REINFORCE with baseline, Williams 1992; Sutton & Barto 2018, section 13.4.
 *
 * @param returns [turns] from `discountedReturns`
 * @param baselines [turns] V(s_t), or anything else that does not depend on the action
 * @returns [turns]
 */
export function monteCarloAdvantages(returns: readonly number[], baselines: ArrayLike<number>): Float32Array {
  if (returns.length !== baselines.length)
    throw new RangeError(
      `monteCarloAdvantages: returns has ${returns.length} entries, baselines ${baselines.length}; both must be [turns]`,
    );
  return Float32Array.from(returns, (value, t) => value - baselines[t]);
}
