// Declares policies whose parameters are not trained and that only compute log-probabilities.
import type { Device, State } from '@bowyer/graph';
import type { TokenExample } from '../batching/token-batches.js';
import type { BatchOptions, TokenScorer } from '../training/token-scorer.js';

/** A policy that only computes log-probabilities, such as the reference policy of a KL penalty. */
export interface FrozenPolicy {
  /** Computes log p(target | ids up to the position) in nats for each position of each example; 0 where the weight is 0. */
  logprobs(examples: readonly TokenExample[], options?: BatchOptions): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** Makes a policy of a frozen base and adapters other than the model's own, which releasing the policy releases. */
export const policyWithAdapters = (scorer: TokenScorer, device: Device, adapters: State): FrozenPolicy => ({
  logprobs: (examples, options) => scorer.logprobs(examples, { ...options, adapters }),
  release: async () => {
    await scorer.releaseAdapters(adapters);
    await device.release(adapters);
  },
});
