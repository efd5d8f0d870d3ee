// Declares the options for sampling tokens, and checks their ranges.

/** The options for sampling tokens. */
export interface SamplingOptions {
  /** Divides logits before top-k and top-p; 1 samples from the policy itself, 0 takes the most likely token. */
  temperature: number;
  /** The number k of most likely tokens that can be chosen; 0: all tokens can. */
  topK: number;
  /**
   * The probability p: only the smallest set of most likely tokens whose total probability is at least p can be chosen (Holtzman
   * et al. 2020); 1: all tokens can.
   */
  topP: number;
  /** Whether the most likely token is always taken; the three options above then have no effect. */
  greedy: boolean;
  maxNewTokens: number;
  /** The tokens that end an utterance. */
  terminatorIds: readonly number[];
  /** Whether turns may add biases to logits. Utterances then also contain the most likely tokens at each position. */
  biasesLogits?: boolean;
  /** Whether turns may have rules that change logits (see logit-rules.ts). */
  appliesRules?: boolean;
  /** Whether turns may have a mask of the tokens that can be chosen, besides all other options; requires `maxNewTokens` 1. */
  masksTokens?: boolean;
}

export type RowSampling = Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;

/**
 * The temperature at or below which sampling is greedy, i.e. takes the most likely token (the first of several equal ones), for
 * which its uniform random number must be 0. At this temperature that token has all probability, since different float32 logits
 * differ by at least a 10⁻⁷ of their size.
 */
export const GREEDY_TEMPERATURE = 1e-12;

/** The highest temperature: above it, a masked token's logit divided by it would come too close to the other logits. */
export const MAX_TEMPERATURE = 100;

/** The least top-p, which float32 can still represent. The most likely token can always be chosen. */
const LEAST_TOP_P = 1e-30;

/**
 * Returns equivalent options without numbers that overflow in float32: a temperature of at most `GREEDY_TEMPERATURE` becomes
 * greedy sampling, which is the limit of sampling at temperature 0.
 *
 * @throws {RangeError} if an option is out of its range
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
