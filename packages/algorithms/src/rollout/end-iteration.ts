// The end of an iteration: an evaluation where it is due, the figures, and a checkpoint. A user who stops the run during the evaluation
// waits for none of it: the iteration's figures are kept with the checkpoint, and a resumed run begins with the evaluation.
import type { Trajectory } from '@bowyer/core';
import type { Metrics, OpenPlayer } from '../types.js';
import type { TrainingRun } from '../unit.js';
import { evaluate, type EvaluateOptions } from './evaluate.js';
import { unlessInterrupted } from './interrupted.js';

export interface EndOptions extends EvaluateOptions {
  /** Iterations between evaluations, and between checkpoints. */
  evalFreq: number;
  saveFreq: number;
}

export interface Evaluated {
  openPlayer: OpenPlayer;
  /** Further metrics of the episodes of an evaluation. */
  judge?: (episodes: readonly Trajectory[]) => Metrics | Promise<Metrics>;
}

/** The results of an iteration before its evaluation. */
export interface Iteration {
  iteration: number;
  /** Those of the evaluation are added. */
  metrics: Metrics;
  rollout: readonly Trajectory[];
}

/** Part of a checkpoint that was written during an evaluation. */
interface Unevaluated {
  metrics: Metrics;
  /** Of the rollout, the newest in the run's history. */
  episodes: number;
}

export async function endIteration(
  run: TrainingRun,
  { iteration, metrics, rollout }: Iteration,
  evaluated: Evaluated,
  options: EndOptions,
): Promise<void> {
  const { hooks, state } = run;
  if ((iteration + 1) % options.evalFreq === 0) {
    const evaluation = await unlessInterrupted(measure(run, evaluated, options));
    if (evaluation === null) {
      state.unevaluated ??= { metrics, episodes: rollout.length } satisfies Unevaluated;
      return hooks.postpone!(iteration, metrics, rollout);
    }
    Object.assign(metrics, evaluation);
    await hooks.keepBest(iteration, evaluation['eval/episodic_return']);
  }
  const wasPostponed = 'unevaluated' in state;
  await hooks.log(iteration, metrics, rollout);
  delete state.unevaluated;
  const isDue = wasPostponed || (iteration + 1) % options.saveFreq === 0;
  if (isDue || hooks.checkpointDue || hooks.stopRequested) await hooks.checkpoint(iteration + 1);
}

/** Called before the first iteration of a process: ends one that was stopped during its evaluation. */
export async function endPostponed(run: TrainingRun, evaluated: Evaluated, options: EndOptions): Promise<void> {
  const unevaluated = run.state.unevaluated as Unevaluated | undefined;
  if (unevaluated === undefined) return;
  const { metrics, episodes } = unevaluated;
  const rollout = run.history.slice(run.history.length - episodes);
  await endIteration(run, { iteration: run.firstIteration - 1, metrics: { ...metrics }, rollout }, evaluated, options);
}

async function measure(run: TrainingRun, { openPlayer, judge }: Evaluated, options: EndOptions): Promise<Metrics> {
  const givesUp = run.hooks.postpone !== undefined;
  const { metrics, trajectories } = await evaluate({ ...run, givesUp }, openPlayer, options);
  return { ...metrics, ...(await judge?.(trajectories)) };
}
