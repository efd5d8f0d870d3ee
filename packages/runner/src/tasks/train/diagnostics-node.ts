// Defines the config node `diagnostics`: which quantities are measured on each rollout in addition to the algorithm's metrics
// (docs/diagnostics.md).
import { flag, group, integer, optional, positive } from '@bowyer/core';

export const diagnosticsNode = group(
  {
    turns: integer(16, 'turns of each rollout whose tokens are scored again before and after the update; 0: no turns', {
      minimum: 0,
    }),
    max_logprob_mismatch: optional(
      positive,
      'largest difference, in nats, between the log-probability of a token as it was sampled and as the trainer computes it (in float32 on the CPU 1e-5 is kept); a larger one stops the run; null: no bound',
      { decides: false },
    ),
    kl_to_start: flag(
      false,
      'also measure the KL divergence from the initial policy; without adapters this keeps a copy of the initial policy in memory',
    ),
  },
  'figures that are measured on each rollout beside those of the algorithm (docs/diagnostics.md)',
);
