// Runs the loop of behaviour cloning: passes over a dataset, with one optimizer step per batch.
import { scheduledRate } from '@bowyer/core';
import type { LanguageModel, TokenExample } from '@bowyer/models';
import type { DatasetEvaluation, StepReports } from '../dataset/dataset-evaluation.js';
import { isLogged, passesOver, stepsOf, type PassOptions } from '../dataset/passes.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { TrainingRun } from '../run/training-run.js';
import type { Examples } from './examples.js';

export interface ImitationSettings {
  batchSize: number;
  /** The number of micro-batches of a batch; their gradients are added. 1 if not given. */
  parts?: number;
  /** Optimizer steps between two reports of metrics; null or not given: `logsPerEpoch` decides. */
  loggingSteps?: number | null;
  /** How often metrics are logged in an epoch that has as many steps; if not given, once, at its end. */
  logsPerEpoch?: number;
  /** The evaluation before the first step and whenever `isDue` says so; its metrics are logged, and the best agent is kept. */
  evaluation?: DatasetEvaluation | null;
}

/** The sums of the batches' losses and counts since metrics were last logged; they are part of a checkpoint. */
interface EpochSums {
  lossSum: number;
  count: number;
}

/** Trains on a dataset in `epochs` passes, with one optimizer step per batch. Metrics and checkpoints count optimizer steps. */
export async function imitate<Item>(
  run: Pick<TrainingRun, 'policy' | 'hooks' | 'state' | 'firstIteration'>,
  { items, batchOf, metricsOf }: Examples<Item>,
  options: PassOptions,
  { batchSize, parts = 1, loggingSteps = null, logsPerEpoch: perEpoch, evaluation = null }: ImitationSettings,
): Promise<void> {
  const { policy } = run;
  const { lr, schedule, maxGradNorm } = options.actor;
  const { stepsPerEpoch, totalSteps } = stepsOf(items.length, batchSize, options.epochs);
  const sums = (run.state.epoch ??= { lossSum: 0, count: 0 }) as EpochSums;

  const rateAt = (before: number) => scheduledRate(lr, before, totalSteps, schedule);
  const reports: StepReports = {
    evaluation,
    isDue: (after) => isLogged(after, { stepsPerEpoch, loggingSteps, perEpoch }),
    metricsOf: (after) => {
      const { lossSum, count } = sums;
      sums.lossSum = sums.count = 0;
      return metricsOf({ nll: lossSum / count, steps: after, count, lr: rateAt(after - 1) });
    },
  };

  const { epochs, seed } = options;
  const passes = { items, size: batchSize, epochs, seed, order: 'bc', reports, phase: 'imitation' };
  await passesOver(run, passes, async (batch, step) => {
    const { examples, count } = batchOf(batch);
    const loss = await accumulateInParts(policy, examples, parts);
    await policy.optimizer.step({ lr: rateAt(step), maxGradNorm });
    sums.lossSum += loss * count;
    sums.count += count;
    return loss;
  });
}

/**
 * All passes are finished even if the user asks to stop.
 *
 * @returns the mean loss of the last pass, and the number of steps; without items only the number of steps
 */
export async function imitateAtOnce(
  { policy, hooks }: Pick<TrainingRun, 'policy' | 'hooks'>,
  examples: Examples<unknown>,
  options: PassOptions,
  settings: Pick<ImitationSettings, 'batchSize' | 'parts'>,
): Promise<Metrics> {
  if (examples.items.length === 0) return { 'optim/steps': 0 };
  let metrics: Metrics = {};
  await imitate(
    {
      policy,
      state: {},
      firstIteration: 0,
      hooks: {
        keepBest: () => Promise.resolve(),
        checkpoint: () => Promise.resolve(),
        checkpointDue: false,
        stopRequested: false,
        progress: (_phase, done, total) => hooks.progress('learning', done, total),
        log: async (_epoch, measured) => void (metrics = measured),
      },
    },
    examples,
    options,
    settings,
  );
  return { 'losses/nll': metrics['losses/nll'], 'optim/steps': metrics['optim/steps'] };
}

/** The examples' weights are those of the whole batch, so that the losses of the micro-batches add up to the batch's. */
async function accumulateInParts(
  policy: LanguageModel,
  examples: readonly TokenExample[],
  parts: number,
): Promise<number> {
  const rows = Math.ceil(examples.length / parts);
  let loss = 0;
  for (let start = 0; start < examples.length; start += rows)
    loss += (await policy.accumulateGradients(examples.slice(start, start + rows), { sharesPrefixes: true })).loss;
  return loss;
}
