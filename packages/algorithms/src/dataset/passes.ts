// Makes passes over a dataset with one optimizer step per batch, and declares the options of passes.
import { integer, minibatches, optional, Rng, type LearningRateSchedule } from '@bowyer/core';
import type { TrainingRun } from '../run/training-run.js';
import { reportStep, type StepReports } from './dataset-evaluation.js';

/**
 * Declares the option of the interval, in optimizer steps, at which the loss is logged.
 *
 * @param otherwise says, in the option's description, when the loss is logged if the option is null
 */
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

interface Passes<Item> {
  items: readonly Item[];
  /** Items per optimizer step. */
  size: number;
  epochs: number;
  seed: number;
  /** The name of the random stream that shuffles the items; the stream's seed is derived from the run's seed and this name. */
  order: string;
  reports: StepReports;
  /** The name of the phase in progress bars. */
  phase: string;
}

/**
 * Makes passes with one optimizer step for each batch; metrics and checkpoints count optimizer steps.
 *
 * @param learn takes the step of a batch, given the steps before it and the number of the pass; returns the loss to show, if any
 */
export async function passesOver<Item>(
  { hooks, state, firstIteration }: Pick<TrainingRun, 'hooks' | 'state' | 'firstIteration'>,
  { items, size, epochs, seed, order, reports, phase }: Passes<Item>,
  learn: (batch: readonly Item[], step: number, epoch: number) => Promise<number | undefined>,
): Promise<void> {
  const { stepsPerEpoch, totalSteps } = stepsOf(items.length, size, epochs);
  let step = firstIteration;
  if ((step === 0 || state.unevaluated) && !(await reportStep({ hooks, state }, step, reports))) return;
  for (let epoch = Math.floor(step / stepsPerEpoch); epoch < epochs; epoch++) {
    const batches = [...minibatches(items, size, Rng.forPurpose(seed, `${order}/${epoch}`))];
    for (const batch of batches.slice(step % stepsPerEpoch)) {
      const loss = await learn(batch, step, epoch);
      hooks.progress(phase, ++step, totalSteps, loss);
      if (!(await reportStep({ hooks, state }, step, reports))) return;
      if (hooks.checkpointDue || hooks.stopRequested) await hooks.checkpoint(step);
      if (hooks.stopRequested) return;
    }
  }
}

/**
 * Whether metrics are logged after a step: at the end of each epoch, and after every `loggingSteps` steps.
 *
 * @param perEpoch number of reports in an epoch with enough steps, where `loggingSteps` is null; 1 if not given
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
