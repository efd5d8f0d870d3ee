// How tokens are chosen, and in which ranges the numbers of it are.

export interface SamplingOptions {
  /** Logits are divided by it before anything else; 1 samples the policy itself, 0 takes the most likely token. */
  temperature: number;
  /** Only the k most likely tokens can be chosen; 0 means all. */
  topK: number;
  /** Only the smallest set of most likely tokens with at least this much probability (Holtzman et al. 2020); 1 means all. */
  topP: number;
  /** Whether the most likely token is always taken; the three above are then without effect. */
  greedy: boolean;
  maxNewTokens: number;
  /** An utterance ends when one of these is chosen. */
  terminatorIds: readonly number[];
  /** Whether turns may add biases to logits, and utterances contain the most likely tokens. */
  biasesLogits?: boolean;
  /** Whether turns may have rules that change logits before a token is chosen. */
  appliesRules?: boolean;
  /**
   * Whether turns may have a mask of the tokens that can be chosen next, on top of all other options; an utterance has
   * one token then.
   */
  masksTokens?: boolean;
}

/** How one row is sampled. */
export type RowSampling = Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;

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
 * Returns the same choice with numbers that float32 divides by without an overflow: a temperature up to `GREEDY_TEMPERATURE` takes the most
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
