// Choosing the next token inside the graph, so that no vocabulary-sized row leaves it: the host sends one uniform number
// per row and gets back one token with its log-probability.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { tokenLogprobs } from './token-logprobs.js';

export interface SamplingOptions {
  /** Logits are divided by it before anything else; 1 samples the policy itself. */
  temperature: number;
  /** Only the k most likely tokens can be chosen; 0 means all. */
  topK: number;
  /** Only the smallest set of most likely tokens with at least this much probability (Holtzman et al. 2020); 1 means all. */
  topP: number;
  /** The most likely token always; the three above are then without effect. */
  greedy: boolean;
  maxNewTokens: number;
  /** An utterance ends when one of these is chosen. */
  terminatorIds: readonly number[];
}

/** Which sampler a graph is built with; what they are is an input of the graph. */
export type Sampler =
  | { kind: 'greedy' }
  | { kind: 'full'; tempered: boolean }
  | { kind: 'truncated'; tempered: boolean; candidates: number };

export function samplerFor({ greedy, topK, topP, temperature }: SamplingOptions, vocabSize: number): Sampler {
  if (greedy) return { kind: 'greedy' };
  if (!(temperature > 0))
    throw new RangeError(`sampling: temperature ${temperature} must be above 0; for the most likely token set greedy`);
  if (!(topP > 0 && topP <= 1)) throw new RangeError(`sampling: topP ${topP} must be in (0, 1]; 1 keeps every token`);
  if (!Number.isInteger(topK) || topK < 0)
    throw new RangeError(`sampling: topK ${topK} must be a whole number; 0 keeps every token`);
  const candidates = topK === 0 ? vocabSize : Math.min(topK, vocabSize);
  const tempered = temperature !== 1;
  return candidates === vocabSize && topP === 1
    ? { kind: 'full', tempered }
    : { kind: 'truncated', tempered, candidates };
}

export interface SampledTokens {
  /** [rows] int64 */
  tokens: Value;
  /** [rows] log p(token) at temperature 1 without truncation: what scoring the same tokens gives. */
  logprobs: Value;
  /** [rows] log-probability under the distribution that was sampled from (tempered and truncated). */
  samplingLogprobs: Value;
}

/**
 * Makes the inputs that the sampler needs: `uniforms` [rows] in [0, 1), each row's own, so that its token does not depend
 * on who else is in the batch; the scalars `temperature` and `top_p`.
 *
 * @param logits [rows, vocabulary], masked tokens far below the rest
 */
export function sampleTokens(g: GraphBuilder, logits: Value, sampler: Sampler): SampledTokens {
  if (sampler.kind === 'greedy') {
    const tokens = g.argMax(logits, 1);
    const { logprobs } = tokenLogprobs(g, logits, tokens);
    return { tokens, logprobs, samplingLogprobs: g.mul(logprobs, 0) }; // chosen with certainty
  }
  const uniforms = g.input('uniforms', 'float32', [logits.dim(0)]);
  const tempered = sampler.tempered ? g.div(logits, g.input('temperature', 'float32', [])) : logits;
  const { tokens, samplingLogprobs } =
    sampler.kind === 'full'
      ? sampleFull(g, tempered, uniforms)
      : sampleTruncated(g, tempered, sampler.candidates, g.input('top_p', 'float32', []), uniforms);
  // Where nothing is tempered or truncated, these are the same nodes of the graph once more.
  return { tokens, logprobs: tokenLogprobs(g, logits, tokens).logprobs, samplingLogprobs };
}

function sampleFull(g: GraphBuilder, logits: Value, uniforms: Value) {
  const tokens = invertCumulative(g, g.softmax(logits), uniforms);
  return { tokens, samplingLogprobs: tokenLogprobs(g, logits, tokens).logprobs };
}

/** Top-k, then top-p among those, as Hugging Face orders them; candidates are sorted, the most likely first. */
function sampleTruncated(g: GraphBuilder, logits: Value, candidates: number, topP: Value, uniforms: Value) {
  const [best, ids] = g.topK(logits, candidates, 1);
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

/**
 * The index at which the running sum of the weights first exceeds uniform · total: an index of weight 0 is never it.
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
