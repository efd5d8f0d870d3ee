import type { TokenMask } from './token-mask.js';

/**
 * The tokens of one utterance, in one form from the decoder or the endpoint to the loss: what a policy sampled, or what a demonstration
 * has in its place. All arrays are [n] for its n tokens, and the token that ended it is one of them.
 *
 * For example, "yes" (token 7) ended by the end-of-text token 0 is `{ ids: [7, 0], terminated: true, logprobs: [-0.3, -1.2] }`, and cut
 * off by the length limit before that `{ ids: [7], terminated: false, logprobs: [-0.3] }`.
 */
export interface Utterance {
  /** Ids of the vocabulary; the terminator is the last of them where there is one. */
  ids: number[];
  /** Whether the last of `ids` is a terminator; false where something else ended the utterance, such as the length limit. */
  terminated: boolean;
  /**
   * Nats, under the policy that sampled, at temperature 1 without truncation, and among the tokens of `tokenMasks`. Empty where nobody
   * sampled the tokens.
   */
  logprobs: number[];
  /**
   * The tokens among which each was chosen, null where it could be any; left out where that holds for all. Equal masks may be one array.
   */
  tokenMasks?: readonly (TokenMask | null)[];
  /** Whether it is not what the expert said or would have said, so that it is not imitated. */
  slip?: boolean;
  /** Iterations that the policy had been trained for when it sampled; absent: those before the iteration that learns from it first. */
  policyVersion?: number;
}

/** Returns the tokens of an utterance without its terminator: what it says. */
export const spokenIds = ({ ids, terminated }: Pick<Utterance, 'ids' | 'terminated'>): number[] =>
  terminated ? ids.slice(0, -1) : ids;
