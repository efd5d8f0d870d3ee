// Evaluates an algorithm that learns from a dataset: by the loss on held-out items, and by episodes that are played.
import { Type, type TObject } from '@sinclair/typebox';
import { integer, positive, Rng, type OptionsOf, type Trajectory } from '@bowyer/core';
import { evaluate } from '../rollout/evaluate.js';
import { decodingOption } from '../rollout/loop-options.js';
import { unlessInterrupted } from '../rollout/interrupted.js';
import type { PlayContext } from '../rollout/collect.js';
import type { Metrics, RunHooks } from '../rollout/run-hooks.js';
import type { OpenPlayer, PlayOptions } from '../rollout/player.js';
import type { TrainingRun } from '../run/training-run.js';

export const evaluationMembers = {
  epochs: positive(1, 'epochs between evaluations (held-out loss and played episodes); 0.5: two in an epoch', {
    flat: 'eval_freq',
  }),
  size: integer(0, 'episodes played per evaluation; 0: none', { minimum: 0, flat: 'eval_size' }),
  decoding: decodingOption('sample'),
};

export const validationShareOption = Type.Number({
  minimum: 0,
  exclusiveMaximum: 1,
  default: 0,
  description: 'share of the episodes or conversations that is held out to measure the loss on; 0: none',
  flat: 'validation_share',
});

type EvaluationOptions = OptionsOf<TObject<typeof evaluationMembers>>;

/** Says when an evaluation is due, and runs it. If the user stops the run during an evaluation, a resumed run repeats it. */
export interface DatasetEvaluation {
  /** Returns whether an evaluation is due. `step`: optimizer steps so far; 0: before the first. */
  isDue(step: number): boolean;
  /**
   * Metrics are named `eval/…`; the agent with the highest `eval/episodic_return` is the best, or, if no episodes are played, the
   * one with the smallest `eval/nll`.
   *
   * @throws {InterruptedError} where the user asks to stop
   */
  measure(): Promise<Metrics>;
}

interface EvaluatedParts {
  /** Computes the loss of the held-out items; null if nothing is held out. */
  heldOutLoss: (() => Promise<Metrics>) | null;
  openPlayer: OpenPlayer;
  /** Computes the metrics of a critic on the episodes that were played; absent without a critic. */
  calibration?: (episodes: readonly Trajectory[]) => Promise<Metrics>;
  stepsPerEpoch: number;
  totalSteps: number;
}

/** Makes the evaluation of a training on a dataset. Null if nothing is held out and `eval.size` is 0. */
export function datasetEvaluation(
  run: PlayContext,
  { heldOutLoss, openPlayer, calibration, stepsPerEpoch, totalSteps }: EvaluatedParts,
  options: { eval: EvaluationOptions } & PlayOptions,
): DatasetEvaluation | null {
  const { size, epochs } = options.eval;
  if (size === 0 && heldOutLoss === null) return null;
  const interval = Math.max(1, Math.round(epochs * stepsPerEpoch));
  return {
    isDue: (step) => step % interval === 0 || step === totalSteps,
    async measure() {
      const metrics: Metrics = (await heldOutLoss?.()) ?? {};
      if (!(size > 0)) return metrics;
      const evaluation = await evaluate({ ...run, givesUp: true }, openPlayer, options);
      return { ...metrics, ...evaluation.metrics, ...(await calibration?.(evaluation.trajectories)) };
    },
  };
}

/** Decides after which optimizer steps an evaluation runs and metrics are logged, and computes both. */
export interface StepReports {
  evaluation: DatasetEvaluation | null;
  /** Whether the metrics are logged after a step (0: before the first) even if no evaluation is due. */
  isDue(step: number): boolean;
  /** Returns the metrics of the steps since the last report; called once for each report after a step. */
  metricsOf(step: number): Metrics;
}

/**
 * Runs the evaluation and logs the metrics if they are due after an optimizer step.
 *
 * @returns false where the user has stopped: a checkpoint is saved, and a resumed run calls this again for the same step
 */
export async function reportStep(
  { hooks, state }: Pick<TrainingRun, 'hooks' | 'state'>,
  step: number,
  { evaluation, isDue, metricsOf }: StepReports,
): Promise<boolean> {
  const isEvaluated = evaluation?.isDue(step) ?? false;
  if (!isEvaluated && !isDue(step)) return true;
  const measured = isEvaluated ? await unlessInterrupted(evaluation!.measure()) : {};
  if (measured === null) {
    state.unevaluated = true;
    if (step > 0) await hooks.checkpoint(step); // before the first step there is nothing to save
    return false;
  }
  delete state.unevaluated;
  await hooks.log(step - 1, step === 0 ? { ...measured, 'optim/steps': 0 } : { ...metricsOf(step), ...measured });
  if (step > 0) await keepBestOf(hooks, step - 1, measured);
  return true;
}

/** Saves the agent if it is the best so far. @param metrics those of `DatasetEvaluation.measure` */
export async function keepBestOf(hooks: Pick<RunHooks, 'keepBest'>, step: number, metrics: Metrics): Promise<void> {
  if ('eval/episodic_return' in metrics) await hooks.keepBest(step, metrics['eval/episodic_return']);
  else if ('eval/nll' in metrics) await hooks.keepBest(step, -metrics['eval/nll']);
}

/**
 * Splits a dataset, by the run's seed. Items of one group (the contexts of an episode) stay together, so that nothing of a
 * held-out episode is trained on.
 *
 * @throws {RangeError} where nothing would be left to train on
 */
export function heldOut<Item>(
  items: readonly Item[],
  { eval: { validationShare }, seed }: { eval: { validationShare: number }; seed: number },
  groupOf: (item: Item, index: number) => number = (_, index) => index,
): { training: Item[]; validation: Item[] } {
  const groups = [...new Set(items.map(groupOf))];
  const size = validationShare === 0 ? 0 : Math.max(1, Math.round(validationShare * groups.length));
  if (size > 0 && size >= groups.length)
    throw new RangeError(
      `algorithm.eval.validation_share=${validationShare} holds out ${size} of ${groups.length} items, and none remains to train on\n` +
        '  give a larger dataset, a smaller share, or algorithm.eval.validation_share=0',
    );
  const held = new Set(Rng.forPurpose(seed, 'dataset/validation').shuffle(groups).slice(0, size));
  return {
    training: items.filter((item, index) => !held.has(groupOf(item, index))),
    validation: items.filter((item, index) => held.has(groupOf(item, index))),
  };
}
