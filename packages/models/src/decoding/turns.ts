// Declares a turn of an episode: the input of the episode's slot, and the utterance that the model generates after it.
import type { Rng, TokenMask, Utterance } from '@bowyer/core';
import type { LoadedAdapter } from '../lora/adapter-bank.js';
import type { LogitBias, TopLogprobs } from './logit-inputs.js';
import type { LogitRules } from './logit-rules.js';
import type { Sampler } from './sampling.js';
import { computable, type RowSampling, type SamplingOptions } from './sampling-options.js';
import { inOneArray } from './sampling-uniforms.js';

export interface SlotInput {
  slot: number;
  /** Whether a new episode begins, so that the slot's context is emptied first. */
  reset?: boolean;
  /**
   * The tokens to add to the context: the observation, after the last action if the environment saw another than was generated.
   */
  tokens: readonly number[];
  /**
   * The source of the utterance's random numbers. Each turn has its own source, so that its tokens do not depend on the other
   * turns of the batch: one number is drawn per utterance, or with `drawsPerToken` `maxNewTokens` numbers, one for each token.
   */
  rng: Rng;
  /** Numbers that are added to the logits of some tokens at every position; requires the option `biasesLogits`. */
  logitBias?: LogitBias;
  /** Rules that change logits depending on the text so far; require the option `appliesRules`. */
  rules?: LogitRules;
  /** The set of tokens that can be chosen next, all if omitted; requires the option `masksTokens`. */
  tokenMask?: TokenMask | null;
  /** The adapter that reads the slot's whole context from this turn on; null or omitted: the base model alone. */
  adapter?: LoadedAdapter | null;
  /** The turn's sampling settings and terminators, if they differ from the options of the call; requires `mixesTurns`. */
  sampling?: RowSampling & Pick<SamplingOptions, 'terminatorIds'>;
  /** The number of tokens at the end of the slot's context that earlier calls generated for the same text; 0 if omitted. */
  newTokens?: number;
}

/** The tokens of a slot in one call. Their `logprobs` are those among all tokens, even where a mask excluded some. */
export interface GeneratedUtterance extends Utterance {
  slot: number;
  /** [tokens] log-probabilities in the sampled distribution; equal to `logprobs` at temperature 1 without truncation. */
  samplingLogprobs: number[];
  /** [tokens] log-probabilities among the tokens that the mask allowed; only with the option `masksTokens`. */
  maskedLogprobs?: number[];
  /** [tokens] the policy's most likely tokens before biases, for each position; only with the option `biasesLogits`. */
  topLogprobs?: readonly TopLogprobs[];
  /** The number of tokens of the slot's context that the model saw before the utterance's first token. */
  contextTokens: number;
  /** The number of those tokens that the model read in this call; the others were cached. */
  readTokens: number;
}

/** Returns the sampling settings and terminators of a row, brought by `computable` to their equivalent form. */
export function ownSampling(given: NonNullable<SlotInput['sampling']>): NonNullable<SlotInput['sampling']> {
  const { temperature, topK, topP, greedy, terminatorIds } = computable(given);
  return { temperature, topK, topP, greedy, terminatorIds };
}

/** Lists all turns' uniform random numbers: none for a greedy graph, zeros for greedy rows of any other. */
export function uniformsFor(
  turns: readonly { uniforms: Float32Array; sampling: RowSampling }[],
  { kind }: Sampler,
): Float32Array {
  if (kind === 'greedy') return new Float32Array(0);
  return inOneArray(turns.map(({ uniforms, sampling }) => (sampling.greedy ? uniforms.map(() => 0) : uniforms)));
}
