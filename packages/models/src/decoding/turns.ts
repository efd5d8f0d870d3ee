// A turn of an episode: its input, and the utterance that follows.
import type { Rng, TokenMask, Utterance } from '@bowyer/core';
import type { LoadedAdapter } from '../lora/adapter-bank.js';
import type { LogitBias, TopLogprobs } from './logit-inputs.js';
import type { LogitRules } from './logit-rules.js';
import type { Sampler } from './sampling.js';
import { computable, type RowSampling, type SamplingOptions } from './sampling-options.js';
import { inOneArray } from './sampling-uniforms.js';

/** The input of a slot before it generates. */
export interface SlotInput {
  slot: number;
  /** Whether a new episode begins: the slot's context is forgotten first. */
  reset?: boolean;
  /** Tokens to add to the slot's context: the observation, and the last action if the environment saw another one. */
  tokens: readonly number[];
  /**
   * One number is drawn from it, which determines all of the utterance's tokens, whatever else is in the batch. With `drawsPerToken`
   * it is `maxNewTokens` numbers, one for each token.
   */
  rng: Rng;
  /** The amounts that are added to single logits before every token, with the option `biasesLogits`. */
  logitBias?: LogitBias;
  /** The changes that the text so far makes to logits, with the option `appliesRules`. */
  rules?: LogitRules;
  /** The tokens that can be chosen next, with the option `masksTokens`; all, if not given. */
  tokenMask?: TokenMask | null;
  /** The adapter of the model's bank that the slot's whole context is read with from now on; null or left out: the base alone. */
  adapter?: LoadedAdapter | null;
  /** How it is sampled, and the tokens that end it, where that differs from the call's options; see `mixesTurns`. */
  sampling?: RowSampling & Pick<SamplingOptions, 'terminatorIds'>;
  /** How many of the slot's last tokens earlier calls generated for the same text; 0 if not given. */
  newTokens?: number;
}

/** The tokens that a slot has generated in one call. Its `logprobs` are those among all tokens, also where a mask left some out. */
export interface GeneratedUtterance extends Utterance {
  slot: number;
  /** [n] like `logprobs`, under the distribution that was sampled from; equal to them at temperature 1 without truncation. */
  samplingLogprobs: number[];
  /** [n] like `logprobs`, but among the tokens that the mask allowed, with the option `masksTokens`. */
  maskedLogprobs?: number[];
  /** The policy's most likely tokens before biases, one entry a log-probability, with the option `biasesLogits`. */
  topLogprobs?: readonly TopLogprobs[];
  /** How many of the slot's last tokens the model saw before its first own one. */
  contextTokens: number;
  /** How many of the new tokens before it the model read; the others' keys and values were in a cache. */
  readTokens: number;
}

/** Returns the part of a turn's own sampling, or of the call's options, that its row needs. */
export function ownSampling(given: NonNullable<SlotInput['sampling']>): NonNullable<SlotInput['sampling']> {
  const { temperature, topK, topP, greedy, terminatorIds } = computable(given);
  return { temperature, topK, topP, greedy, terminatorIds };
}

/** Lists the uniform numbers for a call: none for a greedy graph; zeros where a graph that samples is to be greedy. */
export function uniformsFor(
  turns: readonly { uniforms: Float32Array; sampling: RowSampling }[],
  { kind }: Sampler,
): Float32Array {
  if (kind === 'greedy') return new Float32Array(0);
  return inOneArray(turns.map(({ uniforms, sampling }) => (sampling.greedy ? uniforms.map(() => 0) : uniforms)));
}
