// Samples the next token inside the decoding graph, so that logits need not be copied to the host: the host passes one uniform
// random number per row and receives one token with its log-probability.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { LEFT_OUT } from '../layers/token-mask.js';
import { tokenLogprobs } from '../layers/token-logprobs.js';
import { sampleFull, sampleTruncated } from './draw-token.js';
import { sampleMixed } from './mixed-sampling.js';
import type { SamplingOptions } from './sampling-options.js';

/** The kind of sampler that a graph contains; settings such as the temperature are inputs of the graph. */
export type Sampler = { biasesLogits?: true; appliesRules?: true; masksTokens?: true } & (
  | { kind: 'greedy' }
  | { kind: 'full'; tempered: boolean }
  | { kind: 'truncated'; tempered: boolean; candidates: number }
  | { kind: 'mixed' }
);

/** The number of most likely tokens that a sampler with logit biases returns; fewer if the vocabulary is smaller. */
export const MAX_TOP_LOGPROBS = 20;

/**
 * Chooses the kind of sampler that some sampling options need.
 *
 * @param options as `computable` returns them
 * @param shared whether one sampler serves rows with different settings, which costs a few more passes over the vocabulary (see
 *   mixed-sampling.ts)
 */
export function samplerFor(options: SamplingOptions, vocabSize: number, shared = false): Sampler {
  return {
    ...plainSampler(options, vocabSize, shared),
    ...(options.biasesLogits && { biasesLogits: true }),
    ...(options.appliesRules && { appliesRules: true }),
    ...(options.masksTokens && { masksTokens: true }),
  };
}

/** Chooses the kind of sampler if all rows have the same settings. */
function plainSampler(
  { greedy, topK, topP, temperature }: SamplingOptions,
  vocabSize: number,
  shared: boolean,
): Sampler {
  if (shared) return { kind: 'mixed' };
  if (greedy) return { kind: 'greedy' };
  const candidates = topK === 0 ? vocabSize : Math.min(topK, vocabSize);
  const tempered = temperature !== 1;
  return candidates === vocabSize && topP === 1
    ? { kind: 'full', tempered }
    : { kind: 'truncated', tempered, candidates };
}

interface SampledTokens {
  /** [rows] int64 the sampled tokens. */
  tokens: Value;
  /** [rows] log p(token) at temperature 1 without truncation, which equals the log-probability that scoring computes. */
  logprobs: Value;
  /** [rows] the log-probability of the token under the distribution that was sampled from, with temperature and truncation. */
  samplingLogprobs: Value;
}

/**
 * Adds the sampler to the graph and declares its inputs: `uniforms` [rows] in [0, 1), one stream per row, so that a row's token does
 * not depend on the batch; and the scalars `temperature` and `top_p`, or the inputs of a mixed sampler (mixed-sampling.ts).
 *
 * - With biases: the inputs `logit_bias_ids` and `logit_bias_values` [rows, n], tokens and the numbers added to their logits; and
 *   the outputs `top_ids` and `top_logprobs` [rows, MAX_TOP_LOGPROBS], the most likely tokens first, computed without the biases.
 * - With rules: the same two inputs, and `penalty_ids` and `penalty_factors` [rows, n], tokens without repetition and the
 *   repetition penalty by which their logits are lowered.
 * - With masks: the input `token_mask` [rows, vocabulary] bool, true for tokens that can be chosen; and the output
 *   `masked_logprobs` [rows], log p(token) at temperature 1 among these tokens.
 *
 * @param logits [rows, vocabulary], with masked tokens far below the rest
 */
export function sampleTokens(g: GraphBuilder, logits: Value, sampler: Sampler): SampledTokens {
  const changed = changedLogits(g, logits, sampler);
  const mask = sampler.masksTokens && g.input('token_mask', 'bool', logits.shape);
  const { sampled, probabilities } = choose(g, logits, mask ? g.where(mask, changed, LEFT_OUT) : changed, sampler);
  if (mask) g.output('masked_logprobs', tokenLogprobs(g, g.where(mask, logits, LEFT_OUT), sampled.tokens).logprobs);
  if (sampler.biasesLogits) mostLikely(g, logits, probabilities);
  return sampled;
}

function changedLogits(g: GraphBuilder, logits: Value, sampler: Sampler): Value {
  const { biasesLogits, appliesRules } = sampler;
  if (!biasesLogits && !appliesRules) return logits;
  const pairs = (ids: string, numbers: string, columns: string) => [
    g.input(ids, 'int64', [logits.dim(0), columns]),
    g.input(numbers, 'float32', [logits.dim(0), columns]),
  ];
  const [ids, by] = pairs('logit_bias_ids', 'logit_bias_values', 'biased_tokens');
  const biased = g.scatterElementsAdd(logits, ids, by, 1);
  if (!appliesRules) return biased;
  const [penalized, factors] = pairs('penalty_ids', 'penalty_factors', 'penalized_tokens');
  const before = g.gatherElements(biased, penalized, 1);
  const after = g.where(g.less(before, 0), g.mul(before, factors), g.div(before, factors));
  return g.scatterElementsAdd(biased, penalized, g.sub(after, before), 1);
}

/** Adds outputs with the most likely tokens and their log-probabilities; `probabilities` are [rows, vocabulary]. */
function mostLikely(g: GraphBuilder, logits: Value, probabilities: Value): void {
  const [best, bestIds] = g.topK(logits, Math.min(MAX_TOP_LOGPROBS, logits.dim(1) as number), 1);
  const largest = g.log(g.reduceMax(probabilities, { axes: [1] }));
  g.output('top_ids', g.cast(bestIds, 'int32'));
  g.output('top_logprobs', g.add(g.sub(best, g.slice(best, 1, 0, 1)), g.unsqueeze(largest, 1)));
}

/**
 * @param own the model's logits, from which the log-probabilities are computed
 * @param logits those with biases, rules and masks applied, from which tokens are sampled
 */
function choose(
  g: GraphBuilder,
  own: Value,
  logits: Value,
  sampler: Sampler,
): { sampled: SampledTokens; probabilities: Value } {
  if (sampler.kind === 'greedy') {
    const tokens = g.argMax(logits, 1);
    const { logprobs, probabilities } = tokenLogprobs(g, own, tokens);
    return { sampled: { tokens, logprobs, samplingLogprobs: g.mul(logprobs, 0) }, probabilities }; // log 1: the token is certain
  }
  const uniforms = g.input('uniforms', 'float32', [logits.dim(0)]);
  const { tokens, samplingLogprobs } = draw(g, logits, uniforms, sampler);
  // Without temperature and truncation these are the same nodes as `draw`'s, and made only once.
  const { logprobs, probabilities } = tokenLogprobs(g, own, tokens);
  return { sampled: { tokens, logprobs, samplingLogprobs }, probabilities };
}

function draw(
  g: GraphBuilder,
  logits: Value,
  uniforms: Value,
  sampler: Exclude<Sampler, { kind: 'greedy' }>,
): { tokens: Value; samplingLogprobs: Value } {
  if (sampler.kind === 'mixed') return sampleMixed(g, logits, uniforms);
  const tempered = sampler.tempered ? g.div(logits, g.input('temperature', 'float32', [])) : logits;
  if (sampler.kind === 'full') return sampleFull(g, tempered, uniforms);
  const { candidates } = sampler;
  return sampleTruncated(g, tempered, { candidates, topP: g.input('top_p', 'float32', []) }, uniforms);
}
