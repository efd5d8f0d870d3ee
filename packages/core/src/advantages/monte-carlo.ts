/**
 * Computes the Monte-Carlo return of every turn of one episode, G_t = Σ_{k≥t} γ^{k−t} r_k.
 *
 * @param rewards [turns]
 * @param gamma discount per turn
 * @param valueBeyond V(s_T) of a truncated episode, to bootstrap from; 0 for a terminated one
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
