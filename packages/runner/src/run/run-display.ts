// Shows the progress of a run in its terminal: bars with the newest metrics, curves, and a line for each evaluation.
import { printable } from '@bowyer/config';
import type { Metrics } from '@bowyer/algorithms';
import { ProgressBar, RunFigures } from '@bowyer/logging';
import { mean } from '@bowyer/core';
import type { TaskContext } from '../context/task-context.js';
import { iterationLine, iterationProgress } from '../context/iteration-line.js';
import { signed } from './results.js';

/** The iterations that this process of the run executes. */
export interface RunLength {
  /** Null for an algorithm without iterations, whose progress is counted in optimizer steps. */
  iterations: number | null;
  firstIteration: number;
  /** Whether a line is logged for every iteration. */
  hasLines?: boolean;
}

/** The number of last iterations from whose mean time the remaining time is predicted. */
const RECENT = 5;

export class RunDisplay {
  #bar: ProgressBar | null = null;
  #evaluationBar: ProgressBar | null = null;
  #note = '';
  #loss: number | null = null;
  /** The seconds of each iteration that this process has executed. */
  readonly #seconds: number[] = [];
  readonly #figures: RunFigures;

  constructor(
    private readonly length: RunLength,
    private readonly output: Pick<TaskContext, 'log' | 'progress' | 'onProgress'>,
  ) {
    this.#figures = new RunFigures((name) => output.progress.live?.dim(printable(name)) ?? name);
    if (length.iterations !== null) this.#openBar('iteration', length.iterations);
  }

  progress(iteration: number, phase: string, done: number, total: number): void {
    if (this.length.iterations !== null)
      this.#bar?.update(iteration, [`${phase} ${done}/${total}`, this.#note].filter(Boolean).join('  '));
    else if (phase === 'eval') this.#showEvaluation(phase, done, total);
    else {
      (this.#bar ?? this.#openBar(phase, total)).update(done, this.#note);
      this.output.onProgress?.({ phase: 'steps', done, total, loss: this.#loss });
    }
  }

  /** @param iterations the number of logged iterations, including this one */
  logged(iterations: number, metrics: Metrics, seconds: Record<string, number>): void {
    this.output.progress.report?.({ event: 'metrics', iteration: iterations, ...metrics });
    this.#figures.add(metrics, seconds);
    this.#loss = metrics['losses/nll'] ?? this.#loss;
    if (this.output.progress.live) this.#note = '';
    else if ('rollout/episodic_return' in metrics)
      this.#note = `return ${metrics['rollout/episodic_return'].toFixed(2)}`;
    else if ('losses/nll' in metrics) this.#note = `loss ${metrics['losses/nll'].toFixed(4)}`;
    if (this.length.iterations !== null) this.#bar?.update(iterations, this.#note);
    if (this.length.hasLines) this.#printIteration(iterations, metrics, seconds);
    if ('eval/episodic_return' in metrics) this.#printEvaluation(iterations, metrics);
    if ('eval/nll' in metrics) this.#printValidation(metrics);
  }

  /** Adds the metrics of earlier processes of the run to the curves. */
  remember(metrics: readonly Metrics[]): void {
    for (const earlier of metrics) this.#figures.add(earlier, {});
  }

  warn(message: string): void {
    this.output.log(message, 'WARNING');
  }

  finish(): void {
    this.#bar?.finish();
  }

  /** Shows the progress of an evaluation, which interrupts another phase, in a separate bar. */
  #showEvaluation(phase: string, done: number, total: number): void {
    this.#evaluationBar ??= new ProgressBar(phase, total, this.output.progress);
    this.#evaluationBar.update(done);
    if (done < total) return;
    this.#evaluationBar.remove();
    this.#evaluationBar = null;
  }

  #openBar(label: string, total: number): ProgressBar {
    const lines = (columns: number) => this.#figures.lines(columns);
    this.#bar = new ProgressBar(label, total, this.output.progress, undefined, lines);
    this.#bar.startAt(this.length.firstIteration);
    return this.#bar;
  }

  #printIteration(iteration: number, metrics: Metrics, seconds: Record<string, number>): void {
    const iterations = this.length.iterations!;
    this.#seconds.push(Object.values(seconds).reduce((sum, one) => sum + one, 0));
    const left = iteration === 0 ? null : (iterations - iteration) * mean(this.#seconds.slice(-RECENT));
    const progress = iterationProgress(metrics, { iteration, iterations, seconds, left });
    if (progress === null) return;
    this.output.log(iterationLine(progress));
    this.output.onProgress?.(progress);
  }

  #printEvaluation(iterations: number, metrics: Metrics): void {
    const figures = [
      `return ${metrics['eval/episodic_return'].toFixed(2)} ± ${metrics['eval/episodic_return_standard_error'].toFixed(2)}`,
      'eval/gain_low' in metrics &&
        `${signed(metrics['eval/gain'])} beside the start (95 %: ${metrics['eval/gain_low'].toFixed(2)} … ${metrics['eval/gain_high'].toFixed(2)})`,
      'eval/win_rate' in metrics && `win ${metrics['eval/win_rate'].toFixed(2)}`,
      'eval/q_mean' in metrics &&
        `mean Q ${metrics['eval/q_mean'].toFixed(2)} (discounted return ${metrics['eval/discounted_return_mean'].toFixed(2)})`,
    ];
    const place =
      this.length.iterations === null
        ? `after optimizer step ${metrics['optim/steps']}`
        : iterations === 0
          ? 'of the start'
          : `after iteration ${iterations}`;
    this.output.log(`evaluation ${place}: ${figures.filter(Boolean).join(', ')}`);
  }

  #printValidation(metrics: Metrics): void {
    const training = 'losses/nll' in metrics ? ` (training ${metrics['losses/nll'].toFixed(4)})` : '';
    const perplexity = 'eval/perplexity' in metrics ? `, perplexity ${metrics['eval/perplexity'].toPrecision(4)}` : '';
    this.output.log(
      `validation after optimizer step ${metrics['optim/steps']}: loss ${metrics['eval/nll'].toFixed(4)}${training}${perplexity}`,
    );
  }
}
