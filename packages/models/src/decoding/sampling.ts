// Choosing the next token inside the graph, so that no vocabulary-sized row leaves it: the host sends one uniform number
// per row and gets back one token with its log-probability.
import type { GraphBuilder, Value } from '@bowyer/graph';
import { restrictedLogits } from '../layers/restricted-logits.js';
import { LEFT_OUT } from '../layers/token-mask.js';
import { tokenLogprobs } from '../layers/token-logprobs.js';

export interface SamplingOptions {
  /** Logits are divided by it before anything else; 1 samples the policy itself, 0 takes the most likely token. */
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
  /** Tokens that are guessed at a time by looking up what followed the last ones before (see prompt-lookup.ts); 0, or left out: none. */
  draftTokens?: number;
  /** Turns may add biases to logits, and utterances contain the most likely tokens. */
  biasesLogits?: boolean;
  /** Turns may name the only tokens that can be chosen; log-probabilities are those among them. Not with biases or rules. */
  restrictsTokens?: boolean;
  /** Turns may have rules that change logits before a token is chosen. */
  appliesRules?: boolean;
  /** Turns may have a mask of the tokens that can be chosen next, on top of all other options; utterances of one token then. Not with `restrictsTokens`. */
  masksTokens?: boolean;
}

/** Which sampler a graph is built with; what they are is an input of the graph. */
export type Sampler = { biasesLogits?: true; restrictsTokens?: true; appliesRules?: true; masksTokens?: true } & (
  | { kind: 'greedy' }
  | { kind: 'full'; tempered: boolean }
  | { kind: 'truncated'; tempered: boolean; candidates: number }
);

/** Number of most likely tokens that a sampler with biases returns, as far as the vocabulary has them. */
export const MAX_TOP_LOGPROBS = 20;

/**
 * At this temperature, and with 0 in the place of random numbers, a full sampler is greedy: all probability is the most likely
 * token's, and the first one's where several are equal, since two float32 logits that differ do so by 10⁻⁷ of their size.
 */
export const GREEDY_TEMPERATURE = 1e-12;

/** Above it a logit far below the rest, as of a masked token, would no longer be far below. */
export const MAX_TEMPERATURE = 100;

/** The most likely token is always kept: float32 has this number, and not much smaller ones. */
const LEAST_TOP_P = 1e-30;

/**
 * The same choice with numbers that float32 divides by without an overflow: a temperature up to `GREEDY_TEMPERATURE` takes the most
 * likely token, as its limit 0 does.
 *
 * @throws {RangeError} where an option is out of its range
 */
export function computable<Options extends Pick<SamplingOptions, 'greedy' | 'temperature' | 'topP' | 'topK'>>(
  options: Options,
): Options {
  const { greedy, temperature, topP, topK } = options;
  if (greedy) return options;
  if (!(temperature >= 0 && temperature <= MAX_TEMPERATURE))
    throw new RangeError(
      `sampling: temperature ${temperature} must be from 0, the most likely token always, to ${MAX_TEMPERATURE}`,
    );
  if (!(topP > 0 && topP <= 1)) throw new RangeError(`sampling: topP ${topP} must be in (0, 1]; 1 keeps every token`);
  if (!Number.isInteger(topK) || topK < 0)
    throw new RangeError(`sampling: topK ${topK} must be an integer; 0 keeps every token`);
  if (temperature <= GREEDY_TEMPERATURE) return { ...options, greedy: true, temperature: 1 };
  return topP < LEAST_TOP_P ? { ...options, topP: LEAST_TOP_P } : options;
}

/** @param options as `computable` returns them; @param shared one sampler for greedy and for all untruncated sampling, at a few passes over the vocabulary more */
export function samplerFor(options: SamplingOptions, vocabSize: number, shared = false): Sampler {
  return {
    ...plainSampler(options, vocabSize, shared),
    ...(options.biasesLogits && { biasesLogits: true }),
    ...(options.restrictsTokens && { restrictsTokens: true }),
    ...(options.appliesRules && { appliesRules: true }),
    ...(options.masksTokens && { masksTokens: true }),
  };
}

function plainSampler(
  { greedy, topK, topP, temperature }: SamplingOptions,
  vocabSize: number,
  shared: boolean,
): Sampler {
  if (greedy) return shared ? { kind: 'full', tempered: true } : { kind: 'greedy' };
  const candidates = topK === 0 ? vocabSize : Math.min(topK, vocabSize);
  const tempered = shared || temperature !== 1;
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
 * on who else is in the batch; the scalars `temperature` and `top_p`. A sampler with biases has `logit_bias_ids` and `logit_bias_values` [rows, n],
 * tokens and what is added to their logits, and the outputs `top_ids` and `top_logprobs` [rows, MAX_TOP_LOGPROBS],
 * the most likely tokens first, which what is added does not change. A sampler with rules has the first two inputs as well, and then
 * `penalty_ids` and `penalty_factors` [rows, n], tokens, each once, and the factor that brings their logits down. A sampler that
 * restricts tokens has the first two inputs only, for `restrictedLogits`. A sampler with masks has the input `token_mask` [rows, vocabulary] bool,
 * true where a token can be chosen, and the output `masked_logprobs` [rows], log p(token) at temperature 1 among these tokens.
 *
 * @param logits [rows, vocabulary], masked tokens far below the rest
 */
export function sampleTokens(g: GraphBuilder, logits: Value, sampler: Sampler): SampledTokens {
  const changed = changedLogits(g, logits, sampler);
  // Log-probabilities of a restricted choice are those among the allowed tokens.
  const own = sampler.restrictsTokens ? changed : logits;
  const mask = sampler.masksTokens && g.input('token_mask', 'bool', logits.shape);
  const { sampled, probabilities } = choose(g, own, mask ? g.where(mask, changed, LEFT_OUT) : changed, sampler);
  if (mask) g.output('masked_logprobs', tokenLogprobs(g, g.where(mask, own, LEFT_OUT), sampled.tokens).logprobs);
  if (sampler.biasesLogits && !sampler.restrictsTokens) mostLikely(g, logits, probabilities);
  return sampled;
}

/** The logits after biases, restrictions and rules. */
function changedLogits(g: GraphBuilder, logits: Value, sampler: Sampler): Value {
  const { biasesLogits, restrictsTokens, appliesRules } = sampler;
  if (!biasesLogits && !restrictsTokens && !appliesRules) return logits;
  const pairs = (ids: string, numbers: string, columns: string) => [
    g.input(ids, 'int64', [logits.dim(0), columns]),
    g.input(numbers, 'float32', [logits.dim(0), columns]),
  ];
  const [ids, by] = pairs('logit_bias_ids', 'logit_bias_values', 'biased_tokens');
  if (restrictsTokens) return restrictedLogits(g, logits, ids, by);
  const biased = g.scatterElementsAdd(logits, ids, by, 1);
  if (!appliesRules) return biased;
  const [penalized, factors] = pairs('penalty_ids', 'penalty_factors', 'penalized_tokens');
  const before = g.gatherElements(biased, penalized, 1);
  const after = g.where(g.less(before, 0), g.mul(before, factors), g.div(before, factors));
  return g.scatterElementsAdd(biased, penalized, g.sub(after, before), 1);
}

/** @param probabilities [rows, vocabulary], the softmax of the logits */
function mostLikely(g: GraphBuilder, logits: Value, probabilities: Value): void {
  const [best, bestIds] = g.topK(logits, Math.min(MAX_TOP_LOGPROBS, logits.dim(1) as number), 1);
  const largest = g.log(g.reduceMax(probabilities, { axes: [1] }));
  g.output('top_ids', g.cast(bestIds, 'int32'));
  g.output('top_logprobs', g.add(g.sub(best, g.slice(best, 1, 0, 1)), g.unsqueeze(largest, 1)));
}

/** @param own the model's logits, whose log-probabilities are returned; @param logits those that are sampled from */
function choose(
  g: GraphBuilder,
  own: Value,
  logits: Value,
  sampler: Sampler,
): { sampled: SampledTokens; probabilities: Value } {
  if (sampler.kind === 'greedy') {
    const tokens = g.argMax(logits, 1);
    const { logprobs, probabilities } = tokenLogprobs(g, own, tokens);
    return { sampled: { tokens, logprobs, samplingLogprobs: g.mul(logprobs, 0) }, probabilities }; // chosen with certainty
  }
  const uniforms = g.input('uniforms', 'float32', [logits.dim(0)]);
  const tempered = sampler.tempered ? g.div(logits, g.input('temperature', 'float32', [])) : logits;
  const { tokens, samplingLogprobs } =
    sampler.kind === 'full'
      ? sampleFull(g, tempered, uniforms)
      : sampleTruncated(g, tempered, sampler.candidates, g.input('top_p', 'float32', []), uniforms);
  // Where nothing is tempered or truncated, these are the same nodes of the graph once more.
  const { logprobs, probabilities } = tokenLogprobs(g, own, tokens);
  return { sampled: { tokens, logprobs, samplingLogprobs }, probabilities };
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
