// Losses whose gradient at a token follows from that token's own log-probability (and value) alone, as graph pieces: with them a
// training graph scores, weighs and differentiates in one pass. Values and figures of these losses stay core's (losses/).
import type { KlEstimator } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';

/** What is compiled into the graph. */
export interface SurrogateForm {
  /** As in core's `ppoClipLoss`. */
  clipLow: number;
  clipHigh: number;
  dualClip: number | null;
  /** A KL penalty as in core's `klPenalty`; null: none. */
  klEstimator: KlEstimator | null;
  /** An entropy bonus as in core's `entropyBonus`. */
  hasEntropyBonus: boolean;
  /** The ε of core's `clippedValueLoss`; null: no value is learnt. */
  valueClip: number | null;
}

/**
 *     L = Σ_t w_t clipped(ratio_t, A_t) + β Σ_t w_t KL_t − c Σ_t w_t H_t + v Σ_i ½ max((V_i − R_i)², (clipped V_i − R_i)²)
 *
 * Arrays [N] are of the scored tokens, those [M] of the values, example by example.
 */
export interface SurrogateLoss {
  form: SurrogateForm;
  oldLogprobs: Float32Array;
  advantages: Float32Array;
  /** w */
  weights: Float32Array;
  /** Under the reference, with a KL penalty. */
  refLogprobs?: Float32Array;
  /** β */
  klCoefficient: number;
  /** c */
  entropyCoefficient: number;
  /** With values. */
  values?: { oldValues: Float32Array; returns: Float32Array; coefficient: number };
}

/** Beyond this estimate k3 is flat, as in core's kl.ts. */
const KL_BOUND = 10;

/**
 * Weights of −log p whose sum has the surrogate's gradient: −w (dℓ/d log p + β dKL/d log p). Inputs, all [scored] but for the scalar
 * kl_coefficient: weights, old_logprobs, advantages; with a KL penalty ref_logprobs and kl_coefficient.
 */
export function surrogateWeights(
  g: GraphBuilder,
  { clipLow, clipHigh, dualClip, klEstimator }: SurrogateForm,
): (logprobs: Value, pick: (x: Value) => Value) => Value {
  const input = (name: string) => g.input(name, 'float32', ['scored']);
  const [weights, old, advantages] = ['weights', 'old_logprobs', 'advantages'].map(input);
  const reference = klEstimator && {
    logprobs: input('ref_logprobs'),
    coefficient: g.input('kl_coefficient', 'float32', []),
  };
  return (logprobs, pick) => {
    const ratio = g.exp(g.sub(logprobs, pick(old)));
    const gain = pick(advantages);
    const free = g.neg(g.mul(gain, ratio));
    const clipped = g.neg(g.mul(gain, g.clip(ratio, 1 - clipLow, 1 + clipHigh)));
    // Flat where a bound decides; d ratio / d log p = ratio.
    let counts = g.greaterOrEqual(free, clipped);
    if (dualClip !== null)
      counts = g.and(counts, g.or(g.greaterOrEqual(gain, 0), g.lessOrEqual(free, g.mul(gain, -dualClip))));
    let slope = g.where(counts, free, 0);
    if (reference) {
      const distance = g.sub(pick(reference.logprobs), logprobs);
      slope = g.add(slope, g.mul(klSlope(g, distance, klEstimator), reference.coefficient));
    }
    return g.neg(g.mul(pick(weights), slope));
  };
}

/** d estimate / d log p, with d = ref log p − log p. */
function klSlope(g: GraphBuilder, d: Value, estimator: KlEstimator): Value {
  if (estimator === 'k1') return g.add(g.mul(d, 0), 1);
  if (estimator === 'k2') return g.neg(d);
  const exponential = g.exp(d);
  return g.where(g.greater(g.sub(g.sub(exponential, d), 1), KL_BOUND), 0, g.sub(1, exponential));
}

/**
 * Gradient of the clipped value loss by the values: v (V − R), or 0 where the clipped error is the larger one. Inputs [valued]:
 * value_weights (v), old_values and returns.
 */
export function valueSlopes(g: GraphBuilder, values: Value, clipRange: number): Value {
  const [weights, old, returns] = ['value_weights', 'old_values', 'returns'].map((name) =>
    g.input(name, 'float32', ['valued']),
  );
  const error = g.sub(values, returns);
  const slope = g.mul(weights, error);
  if (clipRange === Infinity) return slope;
  const clippedError = g.sub(g.add(old, g.clip(g.sub(values, old), -clipRange, clipRange)), returns);
  return g.where(g.greaterOrEqual(g.square(error), g.square(clippedError)), slope, 0);
}
