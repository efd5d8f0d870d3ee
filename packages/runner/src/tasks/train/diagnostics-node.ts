// The config keys of figures that are measured on each rollout beside those of its algorithm: docs/diagnostics.md
import { Type } from '@sinclair/typebox';
import { changeableOnResume, count, nullable, rate } from '@bowyer/core';

export const diagnosticsNode = Type.Object(
  {
    turns: count('turns of each rollout whose tokens are scored again before and after the update; 0: no turns', 0),
    max_logprob_mismatch: changeableOnResume(
      nullable(
        rate('nats'),
        'largest difference, in nats, between the log-probability of a token as it was sampled and as the trainer computes it; a larger one stops the run; null: no bound',
      ),
    ),
    kl_to_start: Type.Boolean({
      description:
        'also measure the KL to the start of the run; without adapters this keeps a copy of the start in memory',
    }),
  },
  {
    additionalProperties: false,
    description: 'figures that are measured on each rollout beside those of the algorithm',
  },
);
