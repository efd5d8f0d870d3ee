import type { TokenMask } from './token-mask.js';

/**
 * The tokens of one utterance, sampled by a policy or taken from a demonstration, from the decoder or endpoint to the loss. All
 * arrays are [n] for its n tokens, which include the token that ended it.
 *
 * "yes" (token 7) ended by the end-of-text token 0 is `{ ids: [7, 0], terminated: true, logprobs: [-0.3, -1.2] }`; cut off by the
 * length limit, it is `{ ids: [7], terminated: false, logprobs: [-0.3] }`.
 */
export interface Utterance {
  /** Token ids; the last one is the terminator if `terminated`. */
  ids: number[];
  /** Whether the last of `ids` is a terminator; false if something else ended the utterance, such as the length limit. */
  terminated: boolean;
  /**
   * Log-probabilities of `ids` in nats, under the policy that sampled, at temperature 1 without truncation, and among the tokens
   * of `tokenMasks`. Empty if the tokens were not sampled.
   */
  logprobs: number[];
  /** The tokens among which each token was chosen, null for all; omitted if none has a mask. Equal masks may be the same array. */
  tokenMasks?: readonly (TokenMask | null)[];
  /** Whether the utterance is a slip: a mistake that was inserted into the demonstration, and is not imitated. */
  slip?: boolean;
  /** The number of iterations trained when the policy sampled; absent: all iterations before the first that learns from it. */
  policyVersion?: number;
}

/** Returns the tokens of an utterance without its terminator. */
export const spokenIds = ({ ids, terminated }: Pick<Utterance, 'ids' | 'terminated'>): number[] =>
  terminated ? ids.slice(0, -1) : ids;
