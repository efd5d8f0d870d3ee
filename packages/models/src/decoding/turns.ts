// Declares the turns of episodes: a slot's input, and the utterance that follows.
import type { Rng, TokenMask, Utterance } from '@bowyer/core';
import type { LoadedAdapter } from '../lora/adapter-bank.js';
import type { LogitBias, TopLogprobs } from './logit-inputs.js';
import type { LogitRules } from './logit-rules.js';
import type { Sampler } from './sampling.js';
import { computable, type RowSampling, type SamplingOptions } from './sampling-options.js';
import { inOneArray } from './sampling-uniforms.js';

/** The input of a turn. */
export interface SlotInput {
  slot: number;
  /** Whether a new episode begins, so that the slot's context is emptied first. */
  reset?: boolean;
  /** Tokens to add to the slot's context: the observation, and the last action if the environment saw a different one. */
  tokens: readonly number[];
  /**
   * The source of the utterance's random numbers, so that its tokens do not depend on the batch: one number is drawn per utterance, or
   * with `drawsPerToken` `maxNewTokens` numbers, one for each token.
   */
  rng: Rng;
  /** Numbers to add to the logits of some tokens at every position; needs the option `biasesLogits`. */
  logitBias?: LogitBias;
  /** Rules by which the text so far changes logits; needs the option `appliesRules`. */
  rules?: LogitRules;
  /** The tokens that can be chosen next; needs the option `masksTokens`. All tokens if not given. */
  tokenMask?: TokenMask | null;
  /** The adapter of the model's bank with which the slot's whole context is read from now on; null or omitted: the base model alone. */
  adapter?: LoadedAdapter | null;
  /** Sampling settings and terminators, where they differ from the call's options; see `mixesTurns`. */
  sampling?: RowSampling & Pick<SamplingOptions, 'terminatorIds'>;
  /** The number of the slot's last tokens that earlier calls generated for the same text; 0 if not given. */
  newTokens?: number;
}

/** The tokens that a slot has generated in one call. Its `logprobs` are among all tokens, even where a mask excluded some. */
export interface GeneratedUtterance extends Utterance {
  slot: number;
  /** [n] like `logprobs`, but under the distribution that was sampled from; equal at temperature 1 without truncation. */
  samplingLogprobs: number[];
  /** [n] like `logprobs`, but among the tokens that the mask allowed; with the option `masksTokens`. */
  maskedLogprobs?: number[];
  /** The policy's most likely tokens before biases, one entry per token; with the option `biasesLogits`. */
  topLogprobs?: readonly TopLogprobs[];
  /** The number of the slot's tokens that the model saw before the utterance's first token. */
  contextTokens: number;
  /** The number of these tokens that the model read in this call; the others were cached. */
  readTokens: number;
}

/** Returns the settings of a row: those of a turn's own sampling, or of the call's options. */
export function ownSampling(given: NonNullable<SlotInput['sampling']>): NonNullable<SlotInput['sampling']> {
  const { temperature, topK, topP, greedy, terminatorIds } = computable(given);
  return { temperature, topK, topP, greedy, terminatorIds };
}

/** Lists the uniform numbers of a call: none for a greedy graph; zeros for greedy rows of another graph. */
export function uniformsFor(
  turns: readonly { uniforms: Float32Array; sampling: RowSampling }[],
  { kind }: Sampler,
): Float32Array {
  if (kind === 'greedy') return new Float32Array(0);
  return inOneArray(turns.map(({ uniforms, sampling }) => (sampling.greedy ? uniforms.map(() => 0) : uniforms)));
}
