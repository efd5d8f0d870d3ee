// Everything a recipe hands out during a run goes through here: figures to files and to the terminal, the best policy and
// checkpoints to disk.
import { join } from 'node:path';
import { anyRank, emitSpan, oneRank, wallClock, type Ranks, type Span, type Trajectory } from '@bowyer/core';
import type { Diagnostics, Metrics, RecipeState, RunHooks } from '@bowyer/algorithms';
import { newFigures, ProgressBar, RunFigures, type RunLogger } from '@bowyer/logging';
import type { CheckpointProgress } from './checkpoint-progress.js';
import type { RunControl } from './run-control.js';
import { guardReason, type GuardBounds } from './guard.js';
import type { RecordedFiles } from './run-files.js';
import type { TaskContext } from '../context/task-context.js';

export interface Saveable {
  /** Writes all tensors that the next iteration needs into a folder. */
  saveState(folder: string): Promise<void>;
  /** Writes the policy as a model of its own, and its critic below it. */
  saveAgent(folder: string): Promise<void>;
}

interface RecorderSettings extends Pick<TaskContext, 'log' | 'progress'> {
  /** Of the run; null where the algorithm counts something else, which its progress names. */
  iterations: number | null;
  firstIteration: number;
  best: CheckpointProgress['best'];
  /** The algorithm's own, changed by it in place. */
  state: RecipeState;
  /** Minutes after which a checkpoint is due; null: not by the clock. */
  saveMinutes: number | null;
  /** Of work that counts in epochs: how many of them lie between checkpoints; null or absent: not by epochs. */
  saveEpochs?: { between: number | null; all: number };
  /** Of algorithms that play episodes. */
  diagnostics?: Pick<Diagnostics, 'afterUpdate'>;
  guard?: GuardBounds;
  /** Requests from outside; absent on ranks above 0. */
  control?: RunControl;
  /** Gets every step beside the run's own files. */
  logger: RunLogger;
  /** They stop and save together, whichever of them was asked to; this process alone if not given. */
  ranks?: Ranks;
  /** Seconds since the last call of what is inside the phases, by name; nothing if not given. */
  innerSeconds?: () => Record<string, number>;
  /** Where rollouts are played ahead: how old the last one was. */
  rolloutMetrics?: () => Metrics;
}

/** Where checkpoints go. */
export interface CheckpointSink {
  /** @returns the checkpoint's folder; null where another rank writes it */
  save(number: number, progress: CheckpointProgress, write: (folder: string) => Promise<void>): Promise<string | null>;
}

const MS_PER_MINUTE = 60_000;

export class Recorder implements RunHooks {
  /** Why the guard stopped the run; null where it did not. */
  stoppedByGuard: string | null = null;
  best: CheckpointProgress['best'];
  #bar: ProgressBar | null = null;
  #evaluationBar: ProgressBar | null = null;
  readonly #figures: RunFigures;
  readonly #log: TaskContext['log'];
  #iteration: number;
  #lastCheckpoint: number;
  #note = '';
  /** Of the phase under way. */
  #steps = { done: 0, total: 0 };
  #stop = false;
  #seconds: Record<string, number> = {};
  #evaluated: readonly Trajectory[] = [];
  #phaseStarted = performance.now();
  #savedAt = performance.now();
  /** Under way, for a trace. */
  #phase: Span | null = null;

  constructor(
    private readonly files: RecordedFiles,
    private readonly checkpoints: CheckpointSink,
    private readonly saveable: Saveable,
    private readonly settings: RecorderSettings,
  ) {
    const { iterations, firstIteration, best, log, progress } = settings;
    this.#iteration = this.#lastCheckpoint = firstIteration;
    this.best = best;
    this.#log = log;
    this.#figures = new RunFigures((text) => progress.live?.dim(text) ?? text);
    if (iterations !== null) this.#openBar('iteration', iterations);
  }

  /** With several ranks reading it is a collective call. */
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
    const { saveMinutes, control } = this.settings;
    const isTime = saveMinutes !== null && performance.now() - this.#savedAt >= saveMinutes * MS_PER_MINUTE;
    return anyRank(this.#ranks, isTime || this.#isEpochDue || control?.checkpointAsked === true);
  }

  get #isEpochDue(): boolean {
    const { between = null, all = 1 } = this.settings.saveEpochs ?? {};
    const { done, total } = this.#steps;
    return between !== null && done > 0 && done % Math.max(1, Math.round((between * total) / all)) === 0;
  }

  get #ranks(): Ranks {
    return this.settings.ranks ?? oneRank;
  }

  /** Iterations that have been logged. */
  get iteration(): number {
    return this.#iteration;
  }

  /** Folder of the best agent so far. */
  get bestFolder(): string {
    return join(this.files.directory, 'checkpoints', 'best');
  }

  progress(phase: string, done: number, total: number): void {
    this.#clockPhase(phase); // on every step: a checkpoint or an evaluation in between has a time of its own
    if (this.settings.iterations === null && phase === 'eval') return this.#showEvaluation(phase, done, total);
    this.#steps = { done, total };
    if (this.settings.iterations === null) return (this.#bar ?? this.#openBar(phase, total)).update(done, this.#note);
    this.#bar?.update(this.#iteration, [`${phase} ${done}/${total}`, this.#note].filter(Boolean).join('  '));
  }

  async log(iteration: number, measured: Metrics, rollout: readonly Trajectory[] = []): Promise<void> {
    const { postponed } = this.#postponable;
    const metrics = { ...measured, ...(postponed ?? (await this.#furtherMetrics())) };
    this.#refuseNonFinite(iteration, metrics, rollout);
    await this.files.logMetrics(iteration + 1, metrics);
    if (postponed === undefined) await this.files.logRollout(iteration + 1, rollout);
    delete this.#postponable.postponed;
    await this.files.logEvaluation(iteration + 1, this.#evaluated);
    this.#evaluated = [];
    await this.files.logTimings(iteration + 1, { ...this.#seconds, ...this.settings.innerSeconds?.() });
    const step = { iteration: iteration + 1, metrics, seconds: this.#seconds, episodes: rollout };
    await this.settings.logger.log(step);
    this.settings.progress.report?.({ event: 'metrics', iteration: iteration + 1, ...metrics });
    this.#figures.add(metrics, this.#seconds);
    this.#seconds = {};
    this.#iteration = iteration + 1;
    if (this.settings.progress.live) this.#note = '';
    else if ('rollout/episodic_return' in metrics)
      this.#note = `return ${metrics['rollout/episodic_return'].toFixed(2)}`;
    else if ('losses/nll' in metrics) this.#note = `loss ${metrics['losses/nll'].toFixed(4)}`;
    if (this.settings.iterations !== null) this.#bar?.update(iteration + 1, this.#note);
    if ('eval/episodic_return' in metrics) this.#printEvaluation(iteration + 1, metrics);
    if ('eval/nll' in metrics) this.#printValidation(metrics);
    this.#guard(iteration + 1, metrics);
    await this.settings.control?.whilePaused();
  }

  /** What needs the episodes of the rollout is measured and stored now: a resumed run has them in its files alone. */
  async postpone(iteration: number, measured: Metrics, rollout: readonly Trajectory[]): Promise<void> {
    if (this.#postponable.postponed === undefined) {
      const further = await this.#furtherMetrics();
      this.#refuseNonFinite(iteration, { ...measured, ...further }, rollout);
      await this.files.logRollout(iteration + 1, rollout);
      this.#postponable.postponed = further;
    }
    await this.checkpoint(iteration + 1);
  }

  /** Of the iteration whose evaluation was given up: part of a checkpoint. */
  get #postponable(): { postponed?: Metrics } {
    return this.settings.state as { postponed?: Metrics };
  }

  async #furtherMetrics(): Promise<Metrics> {
    const diagnosed = await this.settings.diagnostics?.afterUpdate();
    return { ...this.settings.rolloutMetrics?.(), ...diagnosed };
  }

  /** Episodes of an evaluation, stored with the metrics that follow. */
  evaluated(episodes: readonly Trajectory[]): void {
    this.#evaluated = episodes;
  }

  async keepBest(iteration: number, score: number): Promise<void> {
    if (this.best !== null && score <= this.best.score) return;
    this.best = { iteration: iteration + 1, score };
    await this.saveable.saveAgent(this.bestFolder);
    await this.settings.logger.checkpoint?.({ kind: 'best', iteration: iteration + 1, folder: this.bestFolder, score });
  }

  /** As `checkpoint`, unless this iteration has one. */
  async checkpointOnce(nextIteration: number): Promise<void> {
    if (nextIteration > this.#lastCheckpoint) await this.checkpoint(nextIteration);
  }

  async checkpoint(nextIteration: number): Promise<void> {
    const progress = {
      nextIteration,
      fileLengths: this.files.lengths,
      best: this.best,
      state: this.settings.state,
      iterations: this.settings.iterations,
    };
    const folder = await this.checkpoints.save(nextIteration, progress, (into) => this.saveable.saveState(into));
    if (folder !== null) await this.settings.logger.checkpoint?.({ kind: 'last', iteration: nextIteration, folder });
    this.#lastCheckpoint = nextIteration;
    this.#savedAt = performance.now();
    if (this.settings.control) this.settings.control.checkpointAsked = false;
    this.#clockPhase('checkpoint');
  }

  finish(): void {
    this.#tracePhase(null, 0);
    this.#bar?.finish();
  }

  /** Shows the figures of earlier processes in the curves. */
  remember(metrics: readonly Metrics[]): void {
    for (const earlier of metrics) this.#figures.add(earlier, {});
  }

  /** An evaluation among the steps of another phase has a bar of its own. */
  #showEvaluation(phase: string, done: number, total: number): void {
    this.#evaluationBar ??= new ProgressBar(phase, total, this.settings.progress);
    this.#evaluationBar.update(done);
    if (done < total) return;
    this.#evaluationBar.remove();
    this.#evaluationBar = null;
  }

  #openBar(label: string, total: number): ProgressBar {
    const { progress, firstIteration } = this.settings;
    const lines = (columns: number) => this.#figures.lines(columns);
    this.#bar = new ProgressBar(label, total, progress, undefined, lines);
    this.#bar.startAt(firstIteration);
    return this.#bar;
  }

  /** The algorithm then saves a checkpoint and returns, as when the user asks it to stop. */
  #guard(iteration: number, metrics: Metrics): void {
    const reason = this.settings.guard && guardReason(metrics, this.settings.guard);
    if (!reason) return;
    this.stoppedByGuard = `after iteration ${iteration}: ${reason}`;
    this.stopRequested = true;
    this.#log(`stopped by the guard ${this.stoppedByGuard}`, 'WARNING');
  }

  #clockPhase(phase: string): void {
    const now = performance.now();
    this.#seconds[phase] = (this.#seconds[phase] ?? 0) + (now - this.#phaseStarted) / 1000;
    this.#tracePhase(phase, now - this.#phaseStarted);
    this.#phaseStarted = now;
  }

  /** Steps of the same phase are one span. */
  #tracePhase(phase: string | null, milliseconds: number): void {
    const end = wallClock();
    if (this.#phase?.name === phase) return void (this.#phase = { ...this.#phase, end });
    if (this.#phase !== null) emitSpan(this.#phase);
    const attributes = { iteration: this.#iteration + 1 };
    this.#phase =
      phase === null ? null : { category: 'phase', name: phase, start: end - milliseconds, end, attributes };
  }

  #printEvaluation(iteration: number, metrics: Metrics): void {
    const figures = [
      `return ${metrics['eval/episodic_return'].toFixed(2)} ± ${metrics['eval/episodic_return_standard_error'].toFixed(2)}`,
      'eval/win_rate' in metrics && `win ${metrics['eval/win_rate'].toFixed(2)}`,
      'eval/q_mean' in metrics &&
        `mean Q ${metrics['eval/q_mean'].toFixed(2)} (discounted return ${metrics['eval/discounted_return_mean'].toFixed(2)})`,
    ];
    const place =
      this.settings.iterations === null ? `optimizer step ${metrics['optim/steps']}` : `iteration ${iteration}`;
    this.#log(`evaluation after ${place}: ${figures.filter(Boolean).join(', ')}`);
  }

  #printValidation(metrics: Metrics): void {
    const training = 'losses/nll' in metrics ? ` (training ${metrics['losses/nll'].toFixed(4)})` : '';
    const perplexity = 'eval/perplexity' in metrics ? `, perplexity ${metrics['eval/perplexity'].toPrecision(4)}` : '';
    this.#log(
      `validation after optimizer step ${metrics['optim/steps']}: loss ${metrics['eval/nll'].toFixed(4)}${training}${perplexity}`,
    );
  }

  #refuseNonFinite(iteration: number, metrics: Metrics, rollout: readonly Trajectory[]): void {
    const broken = firstNonFinite(metrics);
    if (broken === null) return;
    const episodes = rollout.length > 0 ? ` (episodes ${rollout[0].episode}…${rollout.at(-1)!.episode})` : '';
    const checkpoint =
      this.#lastCheckpoint > 0 ? `the checkpoint of iteration ${this.#lastCheckpoint}` : 'no checkpoint yet';
    throw new Error(
      `metric '${broken}' became ${metrics[broken]} in iteration ${iteration + 1}${episodes}; last good state: ${checkpoint}\n` +
        '  a smaller lm_lr or critic_lr, or a larger warmup_iter, usually prevents this',
    );
  }
}

/** Without a copy of the figures: there may be thousands. */
function firstNonFinite(metrics: Metrics): string | null {
  const { names, values } = newFigures(metrics);
  const at = values.findIndex((value) => !Number.isFinite(value));
  return at < 0 ? null : names[at];
}
