// A token of each row's distribution, whole or truncated, at a uniform number.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { LEFT_OUT } from '../layers/token-mask.js';
import { tokenLogprobs } from '../layers/token-logprobs.js';

/**
 * Samples from the whole vocabulary.
 *
 * @param logits [rows, vocabulary]
 * @param uniforms [rows]
 */
export function sampleFull(g: GraphBuilder, logits: Value, uniforms: Value) {
  const tokens = invertCumulative(g, g.softmax(logits), uniforms);
  return { tokens, samplingLogprobs: tokenLogprobs(g, logits, tokens).logprobs };
}

/**
 * Samples from the top-k, then top-p among those, as Hugging Face orders them; candidates are sorted, the most likely first.
 *
 * @param limits.candidates the most that any row keeps, int64 [1] where it is known at run time only; @param limits.topK [rows, 1] float32, of
 * each row, if they differ; @param limits.topP a scalar, or [rows, 1]
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
  // A candidate stays while those before it have less than topP together; the first always does.
  const before = g.cumSum(probabilities, 1, { exclusive: true });
  const kept = g.where(g.less(before, topP), probabilities, 0);
  const index = g.unsqueeze(invertCumulative(g, kept, uniforms), 1);
  const chosen = g.squeeze(g.gatherElements(kept, index, 1), 1);
  return {
    tokens: g.squeeze(g.gatherElements(ids, index, 1), 1),
    samplingLogprobs: g.log(g.div(chosen, g.reduceSum(kept, { axes: [1] }))),
  };
}

/** Numbers the columns of each row 0, 1, …. */
const ranks = (g: GraphBuilder, x: Value): Value => g.cumSum(g.add(g.mul(x, 0), 1), 1, { exclusive: true });

/**
 * Finds the index at which the running sum of the weights first exceeds uniform · total: an index of weight 0 is never it.
 *
 * @param weights [rows, n] from 0 up, not necessarily summing to 1
 * @param uniforms [rows] in [0, 1)
 * @returns [rows] int64
 */
function invertCumulative(g: GraphBuilder, weights: Value, uniforms: Value): Value {
  const sums = g.cumSum(weights, 1);
  const total = g.slice(sums, 1, -1);
  const passed = g.lessOrEqual(sums, g.mul(g.unsqueeze(uniforms, 1), total));
  return g.cast(g.reduceSum(g.cast(passed, 'int32'), { axes: [1] }), 'int64');
}
