// Computes the last product of attention, softmax(scores) V, with a gradient rule of its own that reads the scores once.
import { defineOp, type GraphBuilder, type Value } from '@bowyer/graph';

/**
 * Returns its first operand, softmax(scores) V, unchanged; its gradient goes to the last two operands, the scores and the values.
 *
 * With P = softmax(S) and O = P V, the sum over keys in dS = P ∘ (dP − Σ P ∘ dP) equals the sum of dO ∘ O over the head (Dao et al.
 * 2022, arXiv:2205.14135, appendix B.2). Its difference from dP = dO Vᵀ is one product of [dO, −Σ dO ∘ O] and [V, 1]ᵀ: a single pass
 * over the scores instead of four.
 */
const WeightedValues = defineOp('Identity', {
  operands: 1,
  infer: ({ inputs: [mixed] }) => [{ dtype: mixed!.dtype, shape: mixed!.shape }],
  gradient: (g, { inputs: [mixed, probabilities, , v], dy }) => {
    const sums = g.neg(g.reduceSum(g.mul(dy, mixed!), { axes: [-1], keepdims: true }));
    const ones = g.full(1, [...v!.shape.slice(0, -1), 1], v!.dtype);
    const differences = g.fusedMatMul(g.concat([dy, sums], -1), g.concat([v!, ones], -1), { transB: true });
    return [null, null, g.mul(probabilities!, differences), g.fusedMatMul(probabilities!, dy, { transA: true })];
  },
});

/** Computes softmax(scores [..., queries, keys]) · values [..., keys, size], with `dropout` applied to the softmax's result. */
export function weightedValues(
  g: GraphBuilder,
  scores: Value,
  values: Value,
  dropout: (probabilities: Value) => Value = (x) => x,
): Value {
  const probabilities = g.softmax(scores);
  const kept = dropout(probabilities);
  const mixed = g.matMul(kept, values);
  return kept === probabilities ? g.apply(WeightedValues, [mixed, probabilities, scores, values])[0]! : mixed;
}
