// Losses whose gradient at a token follows from that token's own log-probability (and value) alone, as graph pieces: with them a
// training graph scores, weighs and differentiates in one pass. The slopes are core's own formulas, on the values of a graph.
import { klSlope, surrogateTerms, valueTerms, type KlEstimator } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';

/** The options that are compiled into the graph. */
export interface SurrogateForm {
  /** See core's `ppoClipLoss`. */
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
  /** The inputs of the value loss, if there are values. */
  values?: { oldValues: Float32Array; returns: Float32Array; coefficient: number };
}

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
    const gain = pick(advantages);
    const logRatio = g.sub(logprobs, pick(old));
    let { slope } = surrogateTerms<Value, Value>(g, logRatio, gain, { clipLow, clipHigh, dualClip });
    if (reference) {
      const distance = g.sub(pick(reference.logprobs), logprobs);
      slope = g.add(slope, g.mul(klSlope<Value, Value>(g, distance, klEstimator), reference.coefficient));
    }
    return g.neg(g.mul(pick(weights), slope));
  };
}

/**
 * Gradient of the clipped value loss by the values: v (V − R), or 0 where the clipped error is the larger one. Inputs [valued]:
 * value_weights (v), old_values and returns.
 */
export function valueSlopes(g: GraphBuilder, values: Value, clipRange: number): Value {
  const [weights, old, returns] = ['value_weights', 'old_values', 'returns'].map((name) =>
    g.input(name, 'float32', ['valued']),
  );
  return valueTerms<Value, Value>(g, { value: values, oldValue: old, target: returns, weight: weights }, clipRange)
    .slope;
}
