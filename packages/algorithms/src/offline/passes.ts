// Runs the loop of the algorithms that learn a critic and a policy from a dataset with rewards: passes over its episodes.
import type { TObject } from '@sinclair/typebox';
import { group, integer, Rng, scheduledRate, type ConfigProblem, type OptionsOf, type Trajectory } from '@bowyer/core';
import { criticMembers, criticNormOption } from '../archer/critic.js';
import { datasetEvaluation, evaluationMembers, type StepReports } from '../dataset/dataset-evaluation.js';
import { epochsOption, isLogged, loggingStepsKey, passesOver, stepsOf } from '../dataset/passes.js';
import { gammaOption, meanBatch } from '../learning/learning-options.js';
import { steppedActor } from '../learning/policy-rate.js';
import { turnsOf } from '../learning/pack-turns.js';
import { criticCalibration } from '../rollout/evaluate.js';
import type { PlayOptions } from '../rollout/player.js';
import type { ReplayItem } from '../rollout/replay.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { AlgorithmRun } from '../run/algorithm-run.js';
import { criticOf } from '../run/training-run.js';

/** Without the options of the critic. `warmup` describes what happens in the first `warmupEpochs` epochs. */
export const offlineOptions = (warmupEpochs: number, warmup: string) => ({
  epochs: epochsOption(10),
  ...loggingStepsKey('one line an epoch'),
  gamma: gammaOption(0.99),
  batch: meanBatch('episodes', { size: 2, accumulationSteps: 4 }),
  actor: steppedActor(
    { lr: 1e-4 },
    {
      warmup_epochs: integer(warmupEpochs, `epochs at the start in which ${warmup}`, {
        minimum: 0,
        flat: 'warmup_epochs',
      }),
    },
  ),
  eval: group(evaluationMembers, 'evaluations on the way'),
});

export const offlineCriticMembers = criticMembers(0.05, criticNormOption);

type OfflineOptions = OptionsOf<TObject<ReturnType<typeof offlineOptions>>> & PlayOptions;

interface OfflineStep {
  parts: ReplayItem[][];
  epoch: number;
  lr: number;
  rng: Rng;
}

/** The sums and counts of each metric since the last report; they are part of a checkpoint. */
type Sums = Record<string, [sum: number, count: number]>;

/**
 * Makes `epochs` passes; metrics are means over the steps since the last report. `learn` takes one step and returns its metrics.
 */
export async function offlineSteps(
  run: AlgorithmRun,
  episodes: readonly Trajectory[],
  options: OfflineOptions,
  learn: (step: OfflineStep) => Promise<Metrics>,
): Promise<void> {
  const { batch: micro, actor } = options;
  const size = micro.size * micro.accumulationSteps;
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
    options,
  );
  const sums = (run.state.epoch ??= {}) as Sums;

  const rateAt = (before: number) => scheduledRate(actor.lr, before, totalSteps, actor.schedule);
  const reports: StepReports = {
    evaluation,
    isDue: (after) => isLogged(after, { stepsPerEpoch, loggingSteps: options.loggingSteps }),
    metricsOf: (after) => ({ ...takeMeans(sums), 'optim/steps': after, 'optim/lm_lr': rateAt(after - 1) }),
  };

  const { epochs, seed } = options;
  const passes = { items: episodes, size, epochs, seed, order: 'dataset', reports, phase: 'learning' };
  await passesOver(run, passes, async (batch, step, epoch) => {
    const rng = Rng.forPurpose(seed, `update/${step}`);
    addTo(sums, await learn({ parts: partsOf(batch, micro.size), epoch, lr: rateAt(step), rng }));
    return undefined;
  });
}

/** Reports a warm-up that takes all epochs, so that the policy is never trained. */
export function neverLearns({
  epochs,
  actor: { warmupEpochs },
}: Pick<OfflineOptions, 'epochs' | 'actor'>): ConfigProblem[] {
  if (warmupEpochs < epochs) return [];
  const key = 'algorithm.actor.warmup_epochs';
  const message = `${key}=${warmupEpochs} leaves no epoch of ${epochs} in which the policy learns from the critic`;
  return [{ key, message, remedy: `lower ${key} or raise algorithm.epochs` }];
}

const partsOf = (batch: readonly Trajectory[], size: number): ReplayItem[][] =>
  Array.from({ length: Math.ceil(batch.length / size) }, (_, i) => turnsOf(batch.slice(i * size, (i + 1) * size)));

function addTo(sums: Sums, metrics: Metrics): void {
  for (const [name, value] of Object.entries(metrics)) {
    const [sum, steps] = sums[name] ?? [0, 0];
    sums[name] = [sum + value, steps + 1];
  }
}

/** Computes the mean of each metric since the last call, and resets its sum and count. */
function takeMeans(sums: Sums): Metrics {
  const means = Object.fromEntries(Object.entries(sums).map(([name, [sum, steps]]) => [name, sum / steps]));
  for (const name of Object.keys(sums)) delete sums[name];
  return means;
}
