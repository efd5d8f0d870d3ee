// Passes over a dataset: the config keys of its optimizer steps, and how many steps there are.
import { count, rate, share, type LearningRateSchedule } from '@bowyer/core';
import { rateScheduleSchema } from '../learning/policy-rate.js';
import { scoreTerminatorKey } from '../learning/token-examples.js';
import { datasetEvaluationKeys } from './dataset-evaluation.js';

/** Config keys of learning from a dataset. */
export const datasetKeys = {
  epochs: count('passes over the dataset'),
  batch_size: count('episodes or conversations per micro-batch'),
  grad_accum_steps: count('micro-batches per optimizer step; its loss is the mean over all of them'),
  lm_lr: rate('peak learning rate of the policy'),
  lm_schedule: rateScheduleSchema('optimizer steps', share('last learning rate as a share of the peak')),
  max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  ...scoreTerminatorKey,
  ...datasetEvaluationKeys,
};

export interface PassOptions {
  epochs: number;
  lmLr: number;
  lmSchedule: LearningRateSchedule;
  maxGradNorm: number;
  seed: number;
}

/** Optimizer steps of an epoch and of the whole training. @throws {RangeError} for an empty dataset */
export function stepsOf(items: number, batchSize: number, epochs: number) {
  if (items === 0) throw new RangeError('behaviour cloning: the dataset is empty');
  const stepsPerEpoch = Math.ceil(items / batchSize);
  return { stepsPerEpoch, totalSteps: epochs * stepsPerEpoch };
}
