// Declares the options of sampling, and checks their ranges.

/** The options of sampling. */
export interface SamplingOptions {
  /** Logits are divided by this number first; 1 samples from the policy itself, 0 takes the most likely token. */
  temperature: number;
  /** Only the k most likely tokens can be chosen; 0: all. */
  topK: number;
  /** Only the smallest set of most likely tokens with at least this probability can be chosen (Holtzman et al. 2020); 1: all. */
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
  /** Whether turns may have a mask of the tokens that can be chosen, in addition to all other options; `maxNewTokens` must be 1 then. */
  masksTokens?: boolean;
}

export type RowSampling = Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;

/**
 * The temperature at or below which sampling is greedy: with a uniform number of 0 it takes the most likely token (the first of several
 * equal ones), which has all probability, since different float32 logits differ by at least a 10⁻⁷ of their size.
 */
export const GREEDY_TEMPERATURE = 1e-12;

/** The highest temperature. Above it the logit of a masked token would come too close to the others. */
export const MAX_TEMPERATURE = 100;

/** The least top-p that float32 can represent. The most likely token is always kept. */
const LEAST_TOP_P = 1e-30;

/**
 * Returns equivalent options without numbers that overflow in float32: a temperature of at most `GREEDY_TEMPERATURE` becomes
 * greedy sampling, its limit at 0.
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
