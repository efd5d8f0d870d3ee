// Passes over a dataset: the config keys of its optimizer steps, and how many steps there are.
import { changeableOnResume, count, nullable, rate, share, type LearningRateSchedule } from '@bowyer/core';
import { rateScheduleSchema } from '../learning/policy-rate.js';
import { scoreTerminatorKey } from '../learning/pack-turns.js';
import { datasetEvaluationKeys } from './dataset-evaluation.js';

/** How often the loss is logged. @param otherwise without the key */
export const loggingStepsKey = (otherwise: string) => ({
  logging_steps: changeableOnResume(
    nullable(
      count('optimizer steps'),
      `optimizer steps between two lines of metrics, beside those at the ends of epochs and of evaluations; null: ${otherwise}`,
    ),
  ),
});

/** Config keys of learning from a dataset. */
export const datasetKeys = {
  epochs: count('passes over the dataset'),
  batch_size: count('episodes or conversations per micro-batch'),
  grad_accum_steps: count('micro-batches per optimizer step; its loss is the mean over all of them'),
  lm_lr: rate('peak learning rate of the policy'),
  lm_schedule: rateScheduleSchema('optimizer steps', share('last learning rate as a share of the peak')),
  max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  ...scoreTerminatorKey,
  ...loggingStepsKey('one line an epoch'),
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

/**
 * Whether the means since the last line are logged after a step: at the end of each epoch, and after every `loggingSteps` steps.
 *
 * @param perEpoch lines of an epoch, as far as it has steps, where `loggingSteps` is null; 1 if not given
 */
export function isLogged(
  step: number,
  {
    stepsPerEpoch,
    loggingSteps,
    perEpoch = 1,
  }: { stepsPerEpoch: number; loggingSteps: number | null; perEpoch?: number },
): boolean {
  const inEpoch = step % stepsPerEpoch;
  if (step === 0 || inEpoch === 0) return step > 0;
  return (loggingSteps === null ? inEpoch % Math.ceil(stepsPerEpoch / perEpoch) : step % loggingSteps) === 0;
}
