// Gives an algorithm the interface of its training run. An algorithm that learns from its own episodes is a loop of four lines:
//
//     for await (const iteration of run.iterations()) {
//       const rollout = await run.collect(iteration);
//       const metrics = await run.step(…);
//       await run.endIteration(iteration, metrics, rollout);
//     }
import { Rng, type Trajectory } from '@bowyer/core';
import { RunningMeans } from '../learning/metric-means.js';
import type { ReferencePolicy } from '../learning/reference-policy.js';
import { collectGroups, type GroupRollout, type GroupRolloutOptions } from '../rollout/collect-groups.js';
import { collect, type GroupOptions } from '../rollout/collect.js';
import { evaluate, type Evaluation } from '../rollout/evaluate.js';
import { unlessInterrupted } from '../rollout/interrupted.js';
import type { LoopOptions } from '../rollout/loop-options.js';
import type { OpenPlayer, PlayOptions } from '../rollout/player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { adaptedScale } from './step-scale.js';
import type { Agent, TrainingRun } from './training-run.js';
import { Watch, type WatchState } from './watch.js';

export interface AlgorithmRun extends TrainingRun {
  /** Opens the algorithm's own player, as in evaluations. */
  readonly openPlayer: OpenPlayer;
  /** Yields the remaining iterations, from the one after the last checkpoint, until the user asks to stop. */
  iterations(): AsyncIterable<number>;
  updateRng(iteration: number): Rng;
  /** The factor of the policy's learning rate. It is 1, unless `updateKl` adapts it or the run has returned to its best agent. */
  readonly stepScale: number;
  /** Plays the rollout of an iteration. @param how.openPlayer replaces the algorithm's own player */
  collect(iteration: number, how?: GroupOptions & { openPlayer?: OpenPlayer }): Promise<Trajectory[]>;
  /** Plays groups of episodes of the same task, by the options of `groupMembers`. */
  collectGroups(iteration: number): Promise<GroupRollout>;
  /**
   * Takes one optimizer step of the policy on the mean gradient of some micro-batches, which `accumulate` adds.
   *
   * @returns the means of their metrics, and `optim/policy_gradient_norm`, the global norm before the clip
   */
  step<Batch>(
    microBatches: readonly Batch[],
    accumulate: (batch: Batch) => Promise<Metrics>,
    options: { lr: number; maxGradNorm: number },
  ): Promise<Metrics>;
  /** Evaluates if it is due, keeps the agent if it is the best so far, logs, and saves a checkpoint if one is due. */
  endIteration(iteration: number, metrics: Metrics, rollout: readonly Trajectory[]): Promise<void>;
}

/** `actor.updateKl` is absent in algorithms without it. */
type IterationOptions = LoopOptions & GroupRolloutOptions & { actor?: { updateKl?: number | null } };

interface LoopUnit<Options> {
  openPlayer(agent: Agent, options: Options): OpenPlayer;
  alwaysSamples?: boolean;
  evaluationMetrics?(agent: Agent, episodes: readonly Trajectory[], options: Options): Metrics | Promise<Metrics>;
}

/** Part of a checkpoint only if it was written during an evaluation, whose iteration is thus unfinished. */
interface Unevaluated {
  metrics: Metrics;
  /** The number of episodes of the rollout, which are the newest in the run's history. */
  episodes: number;
  /** The reason why the run ends with this iteration; null or absent where it continues. */
  end?: string | null;
}

/** Releases at the end the models that the algorithm has opened. */
export async function withAlgorithmRun<Options extends PlayOptions>(
  unit: LoopUnit<Options>,
  run: TrainingRun,
  options: Options,
  train: (run: AlgorithmRun) => Promise<void>,
): Promise<void> {
  const opened = new Set<ReferencePolicy>();
  const released = async (opening: Promise<ReferencePolicy>): Promise<ReferencePolicy> => {
    const model = await opening;
    opened.add(model);
    return {
      logprobs: (...scored) => model.logprobs(...scored),
      release: async () => {
        if (opened.delete(model)) await model.release();
      },
    };
  };
  const openReference: TrainingRun['openReference'] = (...how) => released(run.openReference(...how));
  const openTeacher: TrainingRun['openTeacher'] = (place) => released(run.openTeacher(place));
  try {
    await train(algorithmRun(unit, { ...run, openReference, openTeacher }, options));
  } finally {
    for (const model of opened) await model.release();
  }
}

function algorithmRun<Options extends PlayOptions>(
  unit: LoopUnit<Options>,
  run: TrainingRun,
  options: Options,
): AlgorithmRun {
  const { hooks, state, history, firstIteration } = run;
  const openPlayer = unit.openPlayer(run, options);
  const loop = options as Options & IterationOptions;

  const watchState = state as { watch?: WatchState; stepScale?: number };
  let watch = run.watch && watchState.watch ? Watch.resume(watchState.watch, run.watch) : null;

  /** Evaluates the policy. Null where the user has stopped the evaluation; the resumed run then ends the iteration. */
  const evaluation = async (): Promise<Evaluation | null> => {
    const { seed, slots, maxFailureShare, sampling } = options;
    const { size } = loop.eval;
    const how = {
      seed,
      slots,
      maxFailureShare,
      sampling,
      eval: { size, decoding: unit.alwaysSamples ? 'sample' : loop.eval.decoding },
    } as const;
    const evaluated = await unlessInterrupted(
      evaluate({ ...run, givesUp: hooks.postpone !== undefined }, openPlayer, how),
    );
    if (evaluated === null) return null;
    const { metrics, trajectories } = evaluated;
    const further = await unit.evaluationMetrics?.(run, trajectories, options);
    return { metrics: { ...metrics, ...further }, trajectories };
  };

  /** Evaluates the initial agent, the first candidate for the best one. @returns false where the user has stopped the run */
  const beginWatch = async (): Promise<boolean> => {
    if (!run.watch || watch !== null) return true;
    const evaluated = await evaluation();
    if (evaluated === null) return false;
    watch = Watch.begin(evaluated.trajectories, run.watch);
    watchState.watch = watch.state;
    await hooks.keepBest(-1, evaluated.metrics['eval/episodic_return']);
    await hooks.log(-1, evaluated.metrics);
    return true;
  };

  /** Restores the best agent after a collapse. Returns the reason why the run ends, else null. */
  const judge = async (iteration: number, { metrics, trajectories }: Evaluation): Promise<string | null> => {
    if (watch === null) {
      await hooks.keepBest(iteration, metrics['eval/episodic_return']);
      return null;
    }
    const found = watch.evaluation(iteration, trajectories);
    Object.assign(metrics, found.metrics);
    if (found.isKept) await hooks.keepBest(iteration, metrics['eval/episodic_return'], true);
    if (found.collapse === null) return null;
    if (found.collapse.isEnd) return found.collapse.text;
    hooks.warn?.(found.collapse.text);
    await hooks.restoreBest!();
    watchState.stepScale = (watchState.stepScale ?? 1) / 2;
    return null;
  };

  const adaptStep = (metrics: Metrics) => {
    const kl = metrics['actor/update_kl'];
    if (kl === undefined) return;
    metrics['optim/step_scale'] = watchState.stepScale ?? 1;
    watchState.stepScale = adaptedScale(watchState.stepScale ?? 1, kl, loop.actor!.updateKl!);
  };

  const endIteration: AlgorithmRun['endIteration'] = async (iteration, metrics, rollout) => {
    const wasPostponed = 'unevaluated' in state;
    const seen = watch !== null && !wasPostponed ? watch.rollout(iteration, metrics, rollout) : null;
    if (!wasPostponed) adaptStep(metrics);
    for (const text of seen?.warnings ?? []) hooks.warn?.(text);
    const isLast = watch !== null && (iteration + 1 === loop.iterations || (seen?.end ?? null) !== null);
    let end = seen?.end ?? null;
    if (wasPostponed || isLast || seen?.isAlarm || (iteration + 1) % loop.eval.freq === 0) {
      const evaluated = await evaluation();
      if (evaluated === null) {
        state.unevaluated ??= { metrics, episodes: rollout.length, end } satisfies Unevaluated;
        return hooks.postpone!(iteration, metrics, rollout);
      }
      end ??= (state.unevaluated as Unevaluated | undefined)?.end ?? null;
      end = (await judge(iteration, evaluated)) ?? end;
      Object.assign(metrics, evaluated.metrics);
    }
    await hooks.log(iteration, metrics, rollout);
    delete state.unevaluated;
    if (end !== null) hooks.end!((watchState.watch!.ended = end));
    const isDue = wasPostponed || (iteration + 1) % loop.saveFreq === 0;
    if (isDue || hooks.checkpointDue || hooks.stopRequested) await hooks.checkpoint(iteration + 1);
  };

  /** Ends an iteration that was stopped during its evaluation, after the run has been resumed. */
  const endPostponed = async (): Promise<void> => {
    const unevaluated = state.unevaluated as Unevaluated | undefined;
    if (unevaluated === undefined) return;
    const { metrics, episodes } = unevaluated;
    await endIteration(firstIteration - 1, { ...metrics }, history.slice(history.length - episodes));
  };

  return {
    ...run,
    openPlayer,
    async *iterations() {
      if (loop.iterations === undefined)
        throw new Error('run.iterations() reads the options of loopOptions: add them to the schema');
      if (!(await beginWatch())) return;
      await endPostponed();
      // The watch ended the run, but the process was killed during the final test.
      if (watchState.watch?.ended !== undefined && !hooks.stopRequested) hooks.end!(watchState.watch.ended);
      for (let iteration = firstIteration; iteration < loop.iterations && !hooks.stopRequested; iteration++)
        yield iteration;
    },
    updateRng: (iteration) => Rng.forPurpose(options.seed, `update/${iteration}`),
    get stepScale() {
      return watchState.stepScale ?? 1;
    },
    collect: (iteration, { openPlayer: other = openPlayer, ...groups } = {}) =>
      collect(run, other, iteration, loop, groups),
    collectGroups: (iteration) => collectGroups(run, openPlayer, iteration, loop),
    async step(microBatches, accumulate, { lr, maxGradNorm }) {
      const means = new RunningMeans();
      for (const batch of microBatches) means.add(await accumulate(batch));
      const gradientScale = 1 / microBatches.length;
      const { gradientNorm } = await run.policy.optimizer.step({ lr, maxGradNorm, gradientScale });
      return { ...means.values(), 'optim/policy_gradient_norm': gradientNorm };
    },
    endIteration,
  };
}
