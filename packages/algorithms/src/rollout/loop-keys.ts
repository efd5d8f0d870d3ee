// Config keys of the outer loop of the algorithms that learn from their own episodes.
import { Type } from '@sinclair/typebox';
import { count } from '@bowyer/core';

const MAX_ITERATIONS = 1_000_000_000;

export const loopKeys = {
  iterations: Type.Integer({ minimum: 1, maximum: MAX_ITERATIONS, description: 'iterations of rollout and update' }),
  rollout_size: count('episodes per iteration'),
  eval_freq: count('iterations between evaluations'),
  eval_size: count('episodes per evaluation'),
  save_freq: count('iterations between checkpoints'),
};

export const evalDoSampleKey = {
  eval_do_sample: Type.Boolean({ description: 'sample in evaluations; false: greedy, as in ArCHer' }),
};
