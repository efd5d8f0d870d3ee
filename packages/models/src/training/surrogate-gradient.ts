// Computes, within the graph, losses whose gradient at a token depends only on that token's log-probability (or value), so that a
// training graph computes log-probabilities, weights and gradients in one pass. The derivatives are the formulas of @bowyer/core,
// applied to values of the graph.
import { cispoSlope, droSlope, klSlope, surrogateTerms, valueTerms, type KlEstimator } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';

/** The options of a surrogate loss that are compiled into the graph, unlike its scalars, which are inputs. */
export interface SurrogateForm {
  /** The loss of a token: that of core's `ppoClipLoss`, `cispoLoss` or `droLoss`, or −log p. */
  policy: 'clip' | 'cispo' | 'dro' | 'likelihood';
  /** Whether positions have several targets, each with a weight; for 'likelihood' only. */
  isWide: boolean;
  /** The bound of dual-clip PPO as in @bowyer/core's `ppoClipLoss`; null: none. */
  dualClip: number | null;
  /** The estimator of a KL penalty as in core's `klPenalty`; null: no penalty. */
  klEstimator: KlEstimator | null;
  /** Whether there is an entropy bonus as in core's `entropyBonus`. */
  hasEntropyBonus: boolean;
  /** The ε of core's `clippedValueLoss`; null: no value loss. */
  valueClip: number | null;
}

/** The scalars of a policy loss, which are inputs of the graph, so that one graph serves all their values. */
export interface PolicyScalars {
  /** The interval to which ratios of probabilities are clipped, for `clip` and `cispo`. */
  low?: number;
  high?: number;
  /** The β of `dro`. */
  beta?: number;
}

/**
 * A loss of scored tokens and of values:
 *
 *     L = Σ_t w_t ℓ(ratio_t, A_t) + β Σ_t w_t KL_t − c Σ_t w_t H_t + v Σ_i ½ max((V_i − R_i)², (clipped V_i − R_i)²)
 *
 * Arrays [N] contain the scored tokens, arrays [M] the values, example by example.
 */
export interface SurrogateLoss {
  form: SurrogateForm;
  scalars: PolicyScalars;
  oldLogprobs: Float32Array;
  advantages: Float32Array;
  /** [N] the weights w of the tokens. */
  weights: Float32Array;
  /** Log-probabilities under the reference policy, for a KL penalty. */
  refLogprobs?: Float32Array;
  /** The coefficient β of the KL penalty. */
  klCoefficient: number;
  /** The coefficient c of the entropy bonus. */
  entropyCoefficient: number;
  /** The inputs of the value loss, if there are values. */
  values?: { oldValues: Float32Array; returns: Float32Array; coefficient: number };
}

/** The names of the graph inputs for `PolicyScalars`. */
export const SCALAR_INPUTS = { low: 'ratio_low', high: 'ratio_high', beta: 'dro_beta' } as const;

const scalarsOf = {
  clip: ['low', 'high'],
  cispo: ['low', 'high'],
  dro: ['beta'],
  likelihood: [],
} as const satisfies Record<SurrogateForm['policy'], readonly (keyof PolicyScalars)[]>;

/** Lists the names of those `PolicyScalars` that a policy loss uses. */
export const scalarNames = (policy: SurrogateForm['policy']): readonly (keyof PolicyScalars)[] => scalarsOf[policy];

/**
 * Computes the weights of −log p with which the weighted sum has the surrogate's gradient: −w (dℓ/d log p + β dKL/d log p). Inputs,
 * [scored] except for scalars: weights; except for the likelihood also old_logprobs, advantages and `SCALAR_INPUTS`; with a KL penalty
 * also ref_logprobs and the penalty's coefficient, a scalar.
 */
export function surrogateWeights(
  g: GraphBuilder,
  { policy, isWide, dualClip, klEstimator }: SurrogateForm,
): (logprobs: Value, pick: (x: Value) => Value) => Value {
  const input = (name: string) => g.input(name, 'float32', ['scored']);
  const weights = isWide ? g.input('weights', 'float32', ['scored', 'width']) : input('weights');
  if (policy === 'likelihood') return (_logprobs, pick) => pick(weights);
  const [old, advantages] = ['old_logprobs', 'advantages'].map(input);
  const slopeOf = policySlope(g, policy, dualClip);
  const reference = klEstimator && {
    logprobs: input('ref_logprobs'),
    coefficient: g.input('kl_coefficient', 'float32', []),
  };
  return (logprobs, pick) => {
    let slope = slopeOf(g.sub(logprobs, pick(old)), pick(advantages));
    if (reference) {
      const distance = g.sub(pick(reference.logprobs), logprobs);
      slope = g.add(slope, g.mul(klSlope<Value, Value>(g, distance, klEstimator), reference.coefficient));
    }
    return g.neg(g.mul(pick(weights), slope));
  };
}

/** Computes dℓ / d log p of a policy loss from the logarithm of the ratio and the advantage. */
function policySlope(
  g: GraphBuilder,
  policy: Exclude<SurrogateForm['policy'], 'likelihood'>,
  dualClip: number | null,
): (logRatio: Value, advantage: Value) => Value {
  const scalar = (name: keyof typeof SCALAR_INPUTS) => g.input(SCALAR_INPUTS[name], 'float32', []);
  if (policy === 'dro') {
    const beta = scalar('beta');
    return (logRatio, advantage) => droSlope<Value, Value>(g, logRatio, advantage, beta);
  }
  const bounds = { low: scalar('low'), high: scalar('high') };
  if (policy === 'cispo') return (logRatio, advantage) => cispoSlope<Value, Value>(g, logRatio, advantage, bounds);
  return (logRatio, advantage) => surrogateTerms<Value, Value>(g, logRatio, advantage, { ...bounds, dualClip }).slope;
}

/**
 * Computes the gradient of the clipped value loss by the values: v (V − R), or 0 where the clipped error is larger. Inputs [valued]:
 * value_weights (v), old_values and returns.
 */
export function valueSlopes(g: GraphBuilder, values: Value, clipRange: number): Value {
  const [weights, old, returns] = ['value_weights', 'old_values', 'returns'].map((name) =>
    g.input(name, 'float32', ['valued']),
  );
  return valueTerms<Value, Value>(g, { value: values, oldValue: old, target: returns, weight: weights }, clipRange)
    .slope;
}
