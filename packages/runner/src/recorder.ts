// Everything a recipe hands out during a run goes through here: figures to files and to the terminal, the best policy and
// checkpoints to disk.
import { join } from 'node:path';
import type { Trajectory } from '@bowyer/core';
import type { Metrics, RunHooks } from '@bowyer/algorithms';
import { ProgressBar } from '@bowyer/logging';
import type { CheckpointProgress, CheckpointStore } from './checkpoint-store.js';
import type { RunFiles } from './run-files.js';
import type { TaskContext } from './tasks/task.js';

interface Saveable {
  /** Writes all tensors that the next iteration needs into a folder. */
  saveState(folder: string): Promise<void>;
  /** Writes the policy as a model of its own, and its critic below it. */
  saveAgent(folder: string): Promise<void>;
  clipLeftover: () => Record<string, number>;
}

interface RecorderSettings extends Pick<TaskContext, 'log' | 'progress'> {
  iterations: number;
  firstIteration: number;
  best: CheckpointProgress['best'];
}

export class Recorder implements RunHooks {
  stopRequested = false;
  readonly checkpointDue = false;
  best: CheckpointProgress['best'];
  readonly #bar: ProgressBar;
  readonly #log: TaskContext['log'];
  #iteration: number;
  #lastCheckpoint: number;
  #note = '';
  #seconds: Record<string, number> = {};
  #phaseStarted = performance.now();

  constructor(
    private readonly files: RunFiles,
    private readonly checkpoints: CheckpointStore,
    private readonly saveable: Saveable,
    { iterations, firstIteration, best, log, progress }: RecorderSettings,
  ) {
    this.#iteration = this.#lastCheckpoint = firstIteration;
    this.best = best;
    this.#log = log;
    this.#bar = new ProgressBar('iteration', iterations, progress);
    this.#bar.startAt(firstIteration);
  }

  /** Folder of the best agent so far. */
  get bestFolder(): string {
    return join(this.files.directory, 'checkpoints', 'best');
  }

  progress(phase: string, done: number, total: number): void {
    if (done === total) this.#clockPhase(phase);
    this.#bar.update(this.#iteration, [`${phase} ${done}/${total}`, this.#note].filter(Boolean).join('  '));
  }

  async log(iteration: number, metrics: Metrics, rollout: readonly Trajectory[] = []): Promise<void> {
    this.#refuseNonFinite(iteration, metrics, rollout);
    await this.files.logMetrics(iteration + 1, metrics);
    await this.files.logRollout(iteration + 1, rollout);
    await this.files.logTimings(iteration + 1, this.#seconds);
    this.#seconds = {};
    this.#iteration = iteration + 1;
    this.#note = `return ${metrics['rollout/episodic_return'].toFixed(2)}`;
    this.#bar.update(iteration + 1, this.#note);
    if ('eval/episodic_return' in metrics) this.#printEvaluation(iteration + 1, metrics);
  }

  async keepBest(iteration: number, score: number): Promise<void> {
    if (this.best !== null && score <= this.best.score) return;
    this.best = { iteration: iteration + 1, score };
    await this.saveable.saveAgent(this.bestFolder);
  }

  async checkpoint(nextIteration: number): Promise<void> {
    const progress = {
      nextIteration,
      fileLengths: this.files.lengths,
      best: this.best,
      clipLeftover: this.saveable.clipLeftover(),
    };
    await this.checkpoints.save(nextIteration, progress, (folder) => this.saveable.saveState(folder));
    this.#lastCheckpoint = nextIteration;
    this.#clockPhase('checkpoint');
  }

  finish(): void {
    this.#bar.finish();
  }

  #clockPhase(phase: string): void {
    const now = performance.now();
    this.#seconds[phase] = (this.#seconds[phase] ?? 0) + (now - this.#phaseStarted) / 1000;
    this.#phaseStarted = now;
  }

  #printEvaluation(iteration: number, metrics: Metrics): void {
    this.#bar.clear();
    const figures = [
      `return ${metrics['eval/episodic_return'].toFixed(2)} ± ${metrics['eval/episodic_return_standard_error'].toFixed(2)}`,
      'eval/win_rate' in metrics && `win ${metrics['eval/win_rate'].toFixed(2)}`,
      'eval/q_mean' in metrics &&
        `mean Q ${metrics['eval/q_mean'].toFixed(2)} (discounted return ${metrics['eval/discounted_return_mean'].toFixed(2)})`,
    ];
    this.#log(`evaluation after iteration ${iteration}: ${figures.filter(Boolean).join(', ')}`);
  }

  #refuseNonFinite(iteration: number, metrics: Metrics, rollout: readonly Trajectory[]): void {
    const broken = Object.entries(metrics).find(([, value]) => !Number.isFinite(value));
    if (!broken) return;
    const episodes = `${rollout[0]?.episode}…${rollout.at(-1)?.episode}`;
    const checkpoint =
      this.#lastCheckpoint > 0 ? `the checkpoint of iteration ${this.#lastCheckpoint}` : 'no checkpoint yet';
    throw new Error(
      `metric '${broken[0]}' became ${broken[1]} in iteration ${iteration + 1} (episodes ${episodes}); last good state: ${checkpoint}\n` +
        '  a smaller lm_lr or critic_lr, or a larger warmup_iter, usually mends this',
    );
  }
}
