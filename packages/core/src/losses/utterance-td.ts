// The utterance-level half of ArCHer: TD targets of the double critic and the advantage of an utterance.
// Source: Zhou et al. 2024, arXiv:2402.19446, section 3.2 (critic) and 3.3 (actor), with the heads' pairing as in their code.

/** Values of the four heads for the same batch, each [batch]. Without an action the Q arrays are absent. */
export interface HeadValues {
  q1: Float32Array;
  q2: Float32Array;
  v1: Float32Array;
  v2: Float32Array;
}

/**
 * What a Q head regresses on: y = r + γ (1 − d) V̄(s′).
 *
 * Head i bootstraps from target head i alone; the minimum of the two appears only in the advantage.
 *
 * @param rewards [batch]
 * @param terminated [batch] nothing of value lies beyond s′
 * @param nextValues [batch] V̄_i(s′) of the target critic
 * @param gamma discount per turn
 * @returns [batch]
 */
export function tdTargets(
  rewards: readonly number[],
  terminated: readonly boolean[],
  nextValues: Float32Array,
  gamma: number,
): Float32Array {
  if (rewards.length !== nextValues.length || terminated.length !== nextValues.length) {
    throw new RangeError(
      `tdTargets: rewards has ${rewards.length} entries, terminated ${terminated.length}, nextValues ${nextValues.length}; all must be [batch]`,
    );
  }
  return Float32Array.from(rewards, (reward, i) => reward + (terminated[i] ? 0 : gamma * nextValues[i]));
}

/**
 * Advantage of whole utterances: A(s, a) = min(Q₁, Q₂) − min(V₁, V₂).
 *
 * @returns [batch]
 */
export function utteranceAdvantages({ q1, q2, v1, v2 }: HeadValues): Float32Array {
  return q1.map((_, i) => Math.min(q1[i], q2[i]) - Math.min(v1[i], v2[i]));
}
