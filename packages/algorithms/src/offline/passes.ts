// The loop of the algorithms that learn a critic and a policy from a dataset with rewards: passes over its episodes.
import { count, minibatches, rate, Rng, scheduledRate, share, type ConfigProblem, type Trajectory } from '@bowyer/core';
import { criticTargetKeys } from '../archer/critic.js';
import {
  datasetEvaluation,
  reportStep,
  type DatasetEvaluationOptions,
  type StepReports,
} from '../dataset/dataset-evaluation.js';
import { datasetKeys, isLogged, stepsOf, type PassOptions } from '../dataset/passes.js';
import { turnsOf } from '../learning/pack-turns.js';
import { criticCalibration } from '../rollout/evaluate.js';
import type { PlayOptions } from '../rollout/player.js';
import type { ReplayItem } from '../rollout/replay.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import { criticOf } from '../run/training-run.js';

const { validation_share: _, ...learningKeys } = datasetKeys;
const { gamma, bootstrap_on_limit, td_target } = criticTargetKeys;

/** Config keys of these algorithms. */
export const offlineKeys = {
  ...learningKeys,
  batch_size: count('episodes per micro-batch'),
  warmup_epochs: count('epochs at the start in which the critic alone learns', 0),
  critic_lr: rate('learning rate of the critic'),
  critic_max_grad_norm: rate('upper bound of the global norm of the critic gradient'),
  gamma,
  bootstrap_on_limit,
  td_target,
  tau: share('Polyak step of the target critic after every optimizer step: target = (1 - tau) * target + tau * critic'),
};

export interface OfflineOptions extends PassOptions, Omit<DatasetEvaluationOptions, 'validationShare'>, PlayOptions {
  /** Episodes per micro-batch. */
  batchSize: number;
  /** Micro-batches per optimizer step. */
  gradAccumSteps: number;
  /** Optimizer steps between two lines of metrics; null: one line an epoch. */
  loggingSteps: number | null;
  /** Discount per turn. */
  gamma: number;
}

/** One optimizer step of critic and policy. */
export interface OfflineStep {
  /** The turns of each micro-batch. */
  parts: ReplayItem[][];
  epoch: number;
  /** Learning rate of the policy. */
  lr: number;
  /** The random numbers of this step alone. */
  rng: Rng;
}

/** Sums of the steps since the last metrics, and how many they are: part of a checkpoint. */
type Sums = Record<string, [sum: number, count: number]>;

/**
 * `epochs` passes over the episodes. Metrics and checkpoints count optimizer steps; metrics are means over the steps since the last ones.
 *
 * @param learn takes one step and returns its metrics
 */
export async function offlineSteps(
  run: AlgorithmRun,
  episodes: readonly Trajectory[],
  options: OfflineOptions,
  learn: (step: OfflineStep) => Promise<Metrics>,
): Promise<void> {
  const { hooks, state, firstIteration } = run;
  const size = options.batchSize * options.gradAccumSteps;
  const { stepsPerEpoch, totalSteps } = stepsOf(episodes.length, size, options.epochs);
  const evaluation = datasetEvaluation(
    run,
    {
      heldOutLoss: null,
      openPlayer: run.openPlayer,
      stepsPerEpoch,
      totalSteps,
      calibration: (played) => criticCalibration(criticOf(run), played, options.gamma),
    },
    { ...evaluationOf(options), validationShare: 0 },
  );
  const sums = (state.epoch ??= {}) as Sums;

  const rateAt = (before: number) => scheduledRate(options.lmLr, before, totalSteps, options.lmSchedule);
  const reports: StepReports = {
    evaluation,
    isDue: (after) => isLogged(after, { stepsPerEpoch, loggingSteps: options.loggingSteps }),
    metricsOf: (after) => ({ ...takeMeans(sums), 'optim/steps': after, 'optim/lm_lr': rateAt(after - 1) }),
  };

  let step = firstIteration;
  if ((step === 0 || state.unevaluated) && !(await reportStep(run, step, reports))) return;
  for (let epoch = Math.floor(step / stepsPerEpoch); epoch < options.epochs; epoch++) {
    const batches = [...minibatches(episodes, size, Rng.forPurpose(options.seed, `dataset/${epoch}`))];
    for (const batch of batches.slice(step % stepsPerEpoch)) {
      const rng = Rng.forPurpose(options.seed, `update/${step}`);
      addTo(sums, await learn({ parts: partsOf(batch, options.batchSize), epoch, lr: rateAt(step), rng }));
      hooks.progress('learning', ++step, totalSteps);
      if (!(await reportStep(run, step, reports))) return;
      if (hooks.checkpointDue || hooks.stopRequested) await hooks.checkpoint(step);
      if (hooks.stopRequested) return;
    }
  }
}

/** A problem where the warm-up takes all epochs. */
export function neverLearns({ warmupEpochs, epochs }: { warmupEpochs: number; epochs: number }): ConfigProblem[] {
  if (warmupEpochs < epochs) return [];
  const message = `warmup_epochs=${warmupEpochs} leaves no epoch of ${epochs} in which the policy learns from the critic`;
  return [{ key: 'warmup_epochs', message, remedy: 'lower warmup_epochs or raise epochs' }];
}

const evaluationOf = ({
  seed,
  slots,
  maxFailureShare,
  sampling,
  evalFreq,
  evalSize,
  evalDecoding,
}: OfflineOptions) => ({ seed, slots, maxFailureShare, sampling, evalFreq, evalSize, evalDecoding });

/** The turns of a batch's episodes, micro-batch by micro-batch. */
const partsOf = (batch: readonly Trajectory[], size: number): ReplayItem[][] =>
  Array.from({ length: Math.ceil(batch.length / size) }, (_, i) => turnsOf(batch.slice(i * size, (i + 1) * size)));

function addTo(sums: Sums, metrics: Metrics): void {
  for (const [name, value] of Object.entries(metrics)) {
    const [sum, steps] = sums[name] ?? [0, 0];
    sums[name] = [sum + value, steps + 1];
  }
}

/** The means; the sums are empty afterwards. */
function takeMeans(sums: Sums): Metrics {
  const means = Object.fromEntries(Object.entries(sums).map(([name, [sum, steps]]) => [name, sum / steps]));
  for (const name of Object.keys(sums)) delete sums[name];
  return means;
}
