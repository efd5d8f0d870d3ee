// Policies that only score.
import type { Device, State } from '@bowyer/graph';
import type { TokenExample } from '../batching/token-batches.js';
import type { BatchOptions, TokenScorer } from '../training/token-scorer.js';

/** A policy that only scores, such as the reference policy of a KL penalty. */
export interface FrozenPolicy {
  /** Computes per example and position log p(target | ids up to there) in nats, 0 where the weight is 0. */
  logprobs(examples: readonly TokenExample[], options?: BatchOptions): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** Makes a policy of a model with other adapters than its own; the base stays the model's, the adapters are this policy's. */
export const policyWithAdapters = (scorer: TokenScorer, device: Device, adapters: State): FrozenPolicy => ({
  logprobs: (examples, options) => scorer.logprobs(examples, { ...options, adapters }),
  release: async () => {
    await scorer.releaseAdapters(adapters);
    await device.release(adapters);
  },
});
