// Config keys of the outer loop of the algorithms that learn from their own episodes.
import { Type } from '@sinclair/typebox';
import { changeableOnResume, count, oneOf } from '@bowyer/core';
import { horizonKey } from './horizon.js';

const MAX_ITERATIONS = 1_000_000_000;

export const loopKeys = {
  // A finished run continues where `iterations` has grown.
  iterations: changeableOnResume(
    Type.Integer({ minimum: 1, maximum: MAX_ITERATIONS, description: 'iterations of rollout and update' }),
  ),
  rollout_size: count('episodes per iteration'),
  ...horizonKey,
  eval_freq: count('iterations between evaluations'),
  eval_size: count('episodes per evaluation'),
  save_freq: changeableOnResume(count('iterations between checkpoints')),
};

/** How evaluations and the final test choose tokens. */
export const evalDecodingKey = {
  eval_decoding: oneOf(
    ['greedy', 'sample', 'both'],
    'how evaluations and the final test choose tokens: the likeliest, as in ArCHer; sampled; both are reported, and the sampled one chooses the best agent',
  ),
};
