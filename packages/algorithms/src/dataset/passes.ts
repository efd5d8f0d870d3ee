// Passes over a dataset: options of its optimizer steps, and how many steps there are.
import { integer, optional, type LearningRateSchedule } from '@bowyer/core';

/** Declares the option of how often the loss is logged. @param otherwise without the option */
export const loggingStepsKey = (otherwise: string) => ({
  logging_steps: optional(
    integer,
    `optimizer steps between two lines of metrics, beside those at the ends of epochs and of evaluations; null: ${otherwise}`,
    { flat: 'logging_steps', decides: false },
  ),
});

export const epochsOption = (value: number) => integer(value, 'passes over the dataset', { flat: 'epochs' });

export interface PassOptions {
  epochs: number;
  actor: { lr: number; schedule: LearningRateSchedule; maxGradNorm: number };
  seed: number;
}

/** Counts the optimizer steps of an epoch and of the whole training. @throws {RangeError} for an empty dataset */
export function stepsOf(items: number, batchSize: number, epochs: number) {
  if (items === 0) throw new RangeError('behaviour cloning: the dataset is empty');
  const stepsPerEpoch = Math.ceil(items / batchSize);
  return { stepsPerEpoch, totalSteps: epochs * stepsPerEpoch };
}

/**
 * Returns whether the means since the last line are logged after a step: at the end of each epoch, and after every `loggingSteps` steps.
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
