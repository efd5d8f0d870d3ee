// Config keys of the policy's update in the algorithms that learn from their own episodes.
import { count, rate } from '@bowyer/core';
import { policyRateKeys } from './policy-rate.js';
import { scoreTerminatorKey } from './token-examples.js';

export const policyKeys = {
  ...policyRateKeys,
  actor_epochs: count('optimizer steps on the policy per iteration'),
  max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  ...scoreTerminatorKey,
};
