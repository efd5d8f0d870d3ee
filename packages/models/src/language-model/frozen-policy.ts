// Declares policies that only score.
import type { Device, State } from '@bowyer/graph';
import type { TokenExample } from '../batching/token-batches.js';
import type { BatchOptions, TokenScorer } from '../training/token-scorer.js';

/** A policy that only scores, such as the reference policy of a KL penalty. */
export interface FrozenPolicy {
  /** Computes log p(target | ids up to there) in nats for each example and position; 0 where the weight is 0. */
  logprobs(examples: readonly TokenExample[], options?: BatchOptions): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** Makes a policy from a model's frozen base with other adapters, which are released with the policy. */
export const policyWithAdapters = (scorer: TokenScorer, device: Device, adapters: State): FrozenPolicy => ({
  logprobs: (examples, options) => scorer.logprobs(examples, { ...options, adapters }),
  release: async () => {
    await scorer.releaseAdapters(adapters);
    await device.release(adapters);
  },
});
