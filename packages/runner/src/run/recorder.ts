// Defines the recorder, which receives everything that an algorithm produces: it writes metrics, the best policy and checkpoints
// to files, and shows metrics on the terminal. checkpoint-schedule.ts decides when a checkpoint is due, and run-display.ts what
// is shown.
import { join } from 'node:path';
import { anyRank, LARGEST_REWARD, oneRank, type Ranks, type Trajectory } from '@bowyer/core';
import type { Metrics, AlgorithmState, RunHooks } from '@bowyer/algorithms';
import { newFigures, type RunLogger } from '@bowyer/logging';
import type { CheckpointProgress } from './checkpoint-progress.js';
import { CheckpointSchedule, type ScheduleKeys } from './checkpoint-schedule.js';
import { guardReason, type GuardBounds } from './guard.js';
import { PhaseClock } from './phase-clock.js';
import type { RunControl } from './run-control.js';
import { RunDisplay, type RunLength } from './run-display.js';
import type { RecordedFiles } from './run-files.js';
import type { TaskContext } from '../context/task-context.js';

export interface Saveable {
  /** Writes the tensors that the next iteration needs (weights and optimizer states) into a folder. */
  saveState(folder: string): Promise<void>;
  /** Writes the policy as a model of its own, which other programs can load, and its critic into a subfolder. */
  saveAgent(folder: string): Promise<void>;
}

/** Writes the checkpoints of a run; on ranks other than 0 it only takes part in saving. */
export interface CheckpointSink {
  /** Returns the checkpoint's folder; null on a rank that does not write it. */
  save(number: number, progress: CheckpointProgress, write: (folder: string) => Promise<void>): Promise<string | null>;
}

/** Replaces the agent's weights by those of a saved agent, with a new optimizer. */
export type RestoreAgent = (folder: string) => Promise<void>;

export interface RunOutput {
  files: RecordedFiles;
  checkpoints: CheckpointSink;
  saveable: Saveable;
  /**
   * Loads a saved agent's weights into the agent in training; needed if the config has the node `watch`, which may return
   * to the best agent.
   */
  restoreAgent?: RestoreAgent;
  /** The logger that receives the metrics of every iteration in addition to the run's own files. */
  logger: Pick<RunLogger, 'log' | 'checkpoint'>;
}

/** The state in which a run begins, or from which it is resumed. */
export interface RunStart extends RunLength {
  best: CheckpointProgress['best'];
  /** The state of the algorithm, an object that the algorithm changes in place and that checkpoints contain. */
  state: AlgorithmState;
}

export interface RunLimits extends ScheduleKeys {
  guard?: GuardBounds;
  /**
   * Whether the config node `watch` is on: the best agent is then only a candidate until the final test has shown that it is
   * better than the initial one.
   */
  isWatched?: boolean;
  /** Receives requests of other processes to stop, pause or save; absent on ranks above 0. */
  control?: RunControl;
  /** The ranks stop and save together when one of them is asked to; a single process if not given. */
  ranks?: Ranks;
}

/** Functions that measure metrics and times in addition to those of the algorithm. */
export interface RunMeasures {
  /** Returns metrics of the finished iteration, such as those of diagnostics. */
  metrics?(): Promise<Metrics>;
  /** Returns the seconds since the last call that were spent in parts of the phases (such as exchanging gradients), by name. */
  innerSeconds?(): Record<string, number>;
}

export class Recorder implements RunHooks {
  /** The reason why the bounds of the config node `guard` stopped the run; null if they did not. */
  stoppedByGuard: string | null = null;
  /** The reason why the algorithm has ended the run early; null if it has not. */
  ended: string | null = null;
  best: CheckpointProgress['best'];
  readonly #display: RunDisplay;
  readonly #schedule: CheckpointSchedule;
  readonly #clock = new PhaseClock();
  #iteration: number;
  #lastCheckpoint: number;
  #stop = false;
  #evaluated: readonly Trajectory[] = [];

  constructor(
    private readonly output: RunOutput,
    private readonly start: RunStart,
    private readonly limits: RunLimits,
    terminal: Pick<TaskContext, 'log' | 'progress' | 'onProgress'>,
    private readonly measures: RunMeasures = {},
  ) {
    this.#iteration = this.#lastCheckpoint = start.firstIteration;
    this.best = start.best;
    this.#display = new RunDisplay(start, terminal);
    this.#schedule = new CheckpointSchedule(limits, limits.control);
  }

  /**
   * Whether the run was asked to stop. In data-parallel training this is a collective operation: all ranks must read it at the
   * same point.
   */
  get stopRequested(): boolean {
    return (this.#stop = anyRank(this.#ranks, this.#stop));
  }

  set stopRequested(value: boolean) {
    this.#stop = value;
  }

  get interrupted(): boolean {
    return this.#stop;
  }

  get checkpointDue(): boolean {
    return anyRank(this.#ranks, this.#schedule.isDue);
  }

  get #ranks(): Ranks {
    return this.limits.ranks ?? oneRank;
  }

  get iteration(): number {
    return this.#iteration;
  }

  get isWatched(): boolean {
    return this.limits.isWatched === true;
  }

  /** The warnings of the config node `watch` about the run, including those of earlier processes of the run. */
  get notes(): readonly string[] {
    return (this.start.state as { watch?: { notes: string[] } }).watch?.notes ?? [];
  }

  /** With the config node `watch`, `best` contains the initial agent until the final test, and a better agent is a candidate. */
  get bestFolder(): string {
    const isCandidate = this.isWatched && this.best !== null && this.best.iteration > 0;
    return join(this.output.files.directory, 'checkpoints', isCandidate ? 'candidate' : 'best');
  }

  warn(message: string): void {
    this.#display.warn(message);
  }

  end(reason: string): void {
    this.ended = reason;
    this.stopRequested = true;
    this.#display.warn(`the run ends after iteration ${this.#iteration}: ${reason}`);
  }

  async restoreBest(): Promise<void> {
    await this.output.restoreAgent!(this.bestFolder);
  }

  progress(phase: string, done: number, total: number): void {
    this.#clock.stepped(phase, this.#iteration + 1);
    const isAmongSteps = this.start.iterations === null && phase === 'eval';
    if (!isAmongSteps) this.#schedule.stepped(done, total);
    this.#display.progress(this.#iteration, phase, done, total);
  }

  async log(iteration: number, measured: Metrics, rollout: readonly Trajectory[] = []): Promise<void> {
    const { files, logger } = this.output;
    const { postponed } = this.#postponable;
    const metrics = { ...measured, ...(postponed ?? (await this.measures.metrics?.())) };
    this.#refuseNonFinite(iteration, metrics, rollout);
    await files.logMetrics(iteration + 1, metrics);
    if (postponed === undefined) await files.logRollout(iteration + 1, rollout);
    delete this.#postponable.postponed;
    await files.logEvaluation(iteration + 1, this.#evaluated);
    this.#evaluated = [];
    const seconds = this.#clock.takeSeconds();
    await files.logTimings(iteration + 1, { ...seconds, ...this.measures.innerSeconds?.() });
    await logger.log({ iteration: iteration + 1, metrics, seconds, episodes: rollout });
    this.#iteration = iteration + 1;
    this.#display.logged(iteration + 1, metrics, seconds);
    this.#guard(iteration + 1, metrics);
    await this.limits.control?.whilePaused();
  }

  /**
   * Writes a checkpoint of an iteration whose evaluation was interrupted. Metrics that are computed from the rollout's episodes
   * are measured and stored first, because a resumed run does not have the episodes in memory.
   */
  async postpone(iteration: number, measured: Metrics, rollout: readonly Trajectory[]): Promise<void> {
    if (this.#postponable.postponed === undefined) {
      const further = (await this.measures.metrics?.()) ?? {};
      this.#refuseNonFinite(iteration, { ...measured, ...further }, rollout);
      await this.output.files.logRollout(iteration + 1, rollout);
      this.#postponable.postponed = further;
    }
    await this.checkpoint(iteration + 1);
  }

  /** The metrics of the iteration whose evaluation was interrupted; they are part of the checkpoint. */
  get #postponable(): { postponed?: Metrics } {
    return this.start.state as { postponed?: Metrics };
  }

  /** Keeps the episodes of an evaluation, which are written together with the next metrics. */
  evaluated(episodes: readonly Trajectory[]): void {
    this.#evaluated = episodes;
  }

  async keepBest(iteration: number, score: number, always = false): Promise<void> {
    if (!always && this.best !== null && score <= this.best.score) return;
    const { saveable, logger } = this.output;
    this.best = { iteration: iteration + 1, score };
    await saveable.saveAgent(this.bestFolder);
    if (this.isWatched) return; // loggers get the best agent only after the final test
    await logger.checkpoint?.({ kind: 'best', iteration: iteration + 1, folder: this.bestFolder, score });
  }

  async checkpointOnce(nextIteration: number): Promise<void> {
    if (nextIteration > this.#lastCheckpoint) await this.checkpoint(nextIteration);
  }

  async checkpoint(nextIteration: number): Promise<void> {
    const { files, checkpoints, saveable, logger } = this.output;
    const { state, iterations } = this.start;
    const progress = { nextIteration, fileLengths: files.lengths, best: this.best, state, iterations };
    const folder = await checkpoints.save(nextIteration, progress, (into) => saveable.saveState(into));
    if (folder !== null) await logger.checkpoint?.({ kind: 'last', iteration: nextIteration, folder });
    this.#lastCheckpoint = nextIteration;
    this.#schedule.saved();
    this.#clock.stepped('checkpoint', this.#iteration + 1);
  }

  finish(): void {
    this.#clock.endSpan();
    this.#display.finish();
  }

  /** Adds the metrics of earlier processes of the run to the curves that the terminal shows. */
  remember(metrics: readonly Metrics[]): void {
    this.#display.remember(metrics);
  }

  /**
   * Requests a stop if a metric exceeds a bound of the config node `guard`; the algorithm then saves a checkpoint and returns.
   */
  #guard(iteration: number, metrics: Metrics): void {
    const reason = this.limits.guard && guardReason(metrics, this.limits.guard);
    if (!reason) return;
    this.stoppedByGuard = `after iteration ${iteration}: ${reason}`;
    this.stopRequested = true;
    this.#display.warn(`stopped by the guard ${this.stoppedByGuard}`);
  }

  #refuseNonFinite(iteration: number, metrics: Metrics, rollout: readonly Trajectory[]): void {
    const broken = firstNonFinite(metrics);
    if (broken === null) return;
    const episodes = rollout.length > 0 ? ` (episodes ${rollout[0].episode}…${rollout.at(-1)!.episode})` : '';
    const checkpoint =
      this.#lastCheckpoint > 0 ? `the checkpoint of iteration ${this.#lastCheckpoint}` : 'no checkpoint yet';
    throw new Error(
      `metric '${broken}' became ${metrics[broken]} in iteration ${iteration + 1}${episodes}; last good state: ${checkpoint}\n` +
        `  ${hugeReward(rollout) ?? 'a smaller algorithm.actor.lr or algorithm.critic.lr, or a larger algorithm.actor.warmup_iterations, usually prevents this'}`,
    );
  }
}

/** Returns the remedy if a metric is not finite because a reward is very large; otherwise null. */
function hugeReward(rollout: readonly Trajectory[]): string | null {
  for (const { episode, transitions } of rollout)
    for (const { reward } of transitions)
      if (Math.abs(reward) > LARGEST_REWARD)
        return `a reward of episode ${episode} is ${reward}: scale rewards to a usual size, such as from -1 to 1`;
  return null;
}

/** Finds the name of the first metric that is not finite. Metrics are not copied, since there may be thousands. */
function firstNonFinite(metrics: Metrics): string | null {
  const { names, values } = newFigures(metrics);
  const at = values.findIndex((value) => !Number.isFinite(value));
  return at < 0 ? null : names[at];
}
