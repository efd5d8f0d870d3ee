// Samples a token from each row's distribution, either the whole one or truncated by top-k and top-p, with one uniform random
// number per row.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { LEFT_OUT } from '../layers/token-mask.js';
import { tokenLogprobs } from '../layers/token-logprobs.js';

/** Samples from the whole vocabulary: logits [rows, vocabulary], uniform random numbers [rows]. */
export function sampleFull(g: GraphBuilder, logits: Value, uniforms: Value) {
  const tokens = invertCumulative(g, g.softmax(logits), uniforms);
  return { tokens, samplingLogprobs: tokenLogprobs(g, logits, tokens).logprobs };
}

/**
 * Samples from the top k tokens, of which only the top p are kept (Hugging Face's order), sorted, the most likely first.
 *
 * @param limits.candidates the most candidates of any row; int64 [1] if known only at run time
 * @param limits.topK [rows, 1] float32, if it differs between rows
 * @param limits.topP a scalar, or [rows, 1]
 */
export function sampleTruncated(
  g: GraphBuilder,
  logits: Value,
  { candidates, topK, topP }: { candidates: number | Value; topK?: Value; topP: Value },
  uniforms: Value,
) {
  const [sorted, ids] = g.topK(logits, candidates, 1);
  const best = topK ? g.where(g.less(ranks(g, sorted), topK), sorted, LEFT_OUT) : sorted;
  const probabilities = g.softmax(best);
  // A candidate is kept if the more likely candidates together have a probability below topP, so that the first is always kept.
  const before = g.cumSum(probabilities, 1, { exclusive: true });
  const kept = g.where(g.less(before, topP), probabilities, 0);
  const index = g.unsqueeze(invertCumulative(g, kept, uniforms), 1);
  const chosen = g.squeeze(g.gatherElements(kept, index, 1), 1);
  return {
    tokens: g.squeeze(g.gatherElements(ids, index, 1), 1),
    samplingLogprobs: g.log(g.div(chosen, g.reduceSum(kept, { axes: [1] }))),
  };
}

/** Returns the column index 0, 1, … of each element, which is its rank in a sorted row, [rows, n]. */
const ranks = (g: GraphBuilder, x: Value): Value => g.cumSum(g.add(g.mul(x, 0), 1), 1, { exclusive: true });

/**
 * Finds the first index at which the running sum of the weights exceeds uniform · total; never an index of weight 0.
 *
 * @param weights [rows, n] non-negative, not necessarily normalised
 * @param uniforms [rows] in [0, 1)
 * @returns [rows] int64
 */
function invertCumulative(g: GraphBuilder, weights: Value, uniforms: Value): Value {
  const sums = g.cumSum(weights, 1);
  const total = g.slice(sums, 1, -1);
  const passed = g.lessOrEqual(sums, g.mul(g.unsqueeze(uniforms, 1), total));
  return g.cast(g.reduceSum(g.cast(passed, 'int32'), { axes: [1] }), 'int64');
}
