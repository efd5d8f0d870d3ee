import { gae } from './gae.js';

/** One episode of an agent that writes several tokens per turn. */
export interface BilevelGaeInput {
  /** [turns] the number of tokens of each turn, at least one. */
  lengths: readonly number[];
  /** [turns] the reward of each turn, which may be 0: ends of turns are given by `lengths`, not by rewards. */
  rewards: Float32Array;
  /** [N] V before each token, N = Σ lengths. */
  values: Float32Array;
  /** V of the context after the last turn. */
  nextValue: number;
  /** Whether the task ended with the last turn, so that `nextValue` is ignored. */
  terminated: boolean;
}

/**
 * Computes bi-level generalised advantage estimates: first over turns, with V at the last token of each,
 *
 *     Ā_k = GAE of (r_k, V̄_k) with γ, λ           R̄_k = Ā_k + V̄_k
 *
 * then over the tokens of each turn, as an episode that ends with the reward R̄_k at its last token:
 *
 *     A_t = GAE of (0, …, 0, R̄_k) and V_t with γ_token, λ
 *
 * Source: Wang et al. 2025 (VAGEN), arXiv:2510.16907. Differs from RAGEN's code, which finds ends of turns by non-zero rewards
 * and so misses a turn with reward 0.
 *
 * @returns [N] advantages, and returns A + V, the targets of a value head
 */
export function bilevelGae(
  { lengths, rewards, values, nextValue, terminated }: BilevelGaeInput,
  { gamma, tokenGamma, lambda }: { gamma: number; tokenGamma: number; lambda: number },
): { advantages: Float32Array; returns: Float32Array } {
  const ends = lengths.map((_, turn) => lengths.slice(0, turn + 1).reduce((sum, length) => sum + length, 0));
  if (ends.at(-1) !== values.length || lengths.length !== rewards.length || lengths.includes(0))
    throw new RangeError(
      `bilevelGae: ${lengths.length} turns of ${ends.at(-1)} tokens, ${rewards.length} rewards and ${values.length} values; ` +
        'rewards must be [turns], values [tokens], and every turn must have a token',
    );
  const turnValues = Float32Array.from(ends, (end) => values[end - 1]);
  const flag = (isSet: boolean, size: number) =>
    Uint8Array.from({ length: size }, (_, i) => +(isSet && i === size - 1));
  const turns = gae(
    {
      rewards,
      values: turnValues,
      nextValues: Float32Array.of(...turnValues.slice(1), nextValue),
      terminated: flag(terminated, lengths.length),
      truncated: flag(!terminated, lengths.length),
    },
    { gamma, lambda },
  );
  const advantages = new Float32Array(values.length);
  lengths.forEach((length, turn) => {
    const own = values.subarray(ends[turn] - length, ends[turn]);
    const tokenRewards = new Float32Array(length);
    tokenRewards[length - 1] = turns.returns[turn];
    const tokens = gae(
      {
        rewards: tokenRewards,
        values: own,
        nextValues: Float32Array.of(...own.slice(1), 0),
        terminated: flag(true, length),
        truncated: flag(false, length),
      },
      { gamma: tokenGamma, lambda },
    );
    advantages.set(tokens.advantages, ends[turn] - length);
  });
  return { advantages, returns: advantages.map((advantage, t) => advantage + values[t]) };
}
