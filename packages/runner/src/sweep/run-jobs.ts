// Runs the jobs of a sweep as processes on this machine, several at a time. A failed job does not stop the others.
import { identityOf } from '@bowyer/core';
import type { JobBoard } from './job-board.js';
import { newMarker, writeMarker, type JobMarker } from './job-marker.js';
import { commandLine, startJobProcess, type JobProcess, type JobProcessEnd } from './job-process.js';
import { judgeJob, lastWords, type FiguresWanted } from './judge-job.js';
import { jobLabel, type JobSource, type JobStart } from './sweep-job.js';

export interface LocalLauncherOptions extends FiguresWanted {
  /** The number of processes that run at the same time. */
  jobs: number;
  source: JobSource;
  commandOf(start: JobStart): [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  board: JobBoard;
  /** Returns whether an override is shown in the labels of jobs. */
  shown(override: string): boolean;
  /** The markers from earlier starts of the sweep, by job number. */
  markers: ReadonlyMap<number, JobMarker>;
}

export class LocalLauncher {
  readonly #running = new Map<number, JobProcess>();
  readonly #markers: Map<number, JobMarker>;
  #interrupts = 0;

  constructor(private readonly options: LocalLauncherOptions) {
    this.#markers = new Map(options.markers);
  }

  get interrupted(): boolean {
    return this.#interrupts > 0;
  }

  /** Asks all running jobs to write a checkpoint and end, and starts no further ones; a second call ends the jobs immediately. */
  interrupt(): void {
    this.#interrupts++;
    const count = this.#running.size;
    for (const process of this.#running.values()) {
      if (this.#interrupts === 1) process.interrupt();
      else process.kill();
    }
    if (this.#interrupts > 1 || count === 0) return;
    this.options.board.say(
      `stopping: ${count === 1 ? '1 job writes its checkpoint and stops' : `${count} jobs write their checkpoints and stop`}; Ctrl-C again ends them at once`,
    );
  }

  /** Runs jobs until the source has none left, or until the user stops the sweep. */
  async run(): Promise<void> {
    const { jobs, source } = this.options;
    const atWork = new Set<Promise<void>>();
    try {
      for (;;) {
        while (!this.interrupted && atWork.size < jobs) {
          const start = source.next();
          if (start === null) break;
          const work: Promise<void> = this.#runOne(start).finally(() => atWork.delete(work));
          atWork.add(work);
        }
        if (atWork.size === 0) return;
        await Promise.race(atWork);
      }
    } catch (error) {
      // After an error of the launcher itself, such as a marker that cannot be written, the running jobs are stopped before the
      // error is thrown.
      this.interrupt();
      await Promise.allSettled(atWork);
      throw error;
    }
  }

  async #runOne(start: JobStart): Promise<void> {
    const { board, source } = this.options;
    const { job, resource } = start;
    const marker = this.#markers.get(job.number) ?? newMarker(job);
    const begun = performance.now();
    board.started(job.number, startLabel(start, this.options.shown));
    const end = await this.#awaitProcess(start, marker);

    const seconds = marker.seconds + (performance.now() - begun) / 1000;
    const outcome = await judgeJob(
      start,
      { failure: this.interrupted ? '' : failureOf(end), isStopped: this.interrupted, seconds },
      this.options,
    );
    const { status, note } = outcome;
    Object.assign(marker, { status, note, seconds, process: null });
    if (resource && status !== 'stopped') {
      const value = status === 'finished' ? outcome.metrics[this.options.requiredMetric!] : null;
      marker.rungs = [
        ...marker.rungs.filter((rung) => rung.resource < resource.amount),
        { resource: resource.amount, value },
      ];
    }
    await writeMarker(job, marker);
    this.#markers.set(job.number, marker);
    board.ended(
      job.number,
      outcome,
      status === 'failed' ? await lastWords(job, (line) => line === commandLine(this.options.commandOf(start))) : [],
    );
    source.report(start, outcome);
  }

  async #awaitProcess(start: JobStart, marker: JobMarker): Promise<JobProcessEnd> {
    const { board, commandOf, cwd, env } = this.options;
    const { number, directory } = start.job;
    Object.assign(marker, { status: 'started', note: '', process: null });
    await writeMarker(start.job, marker);
    const process = await startJobProcess({
      command: commandOf(start),
      directory,
      cwd,
      env,
      onLine: (line) => board.says(number, line),
    });
    this.#running.set(number, process);
    // Ctrl-C may have been pressed while the process was being started; the job is then asked to stop at once.
    if (this.interrupted) process.interrupt();
    marker.process = process.pid === null ? null : identityOf(process.pid);
    await writeMarker(start.job, marker);
    const end = await process.ended;
    this.#running.delete(number);
    return end;
  }
}

function failureOf({ exitCode, signal, problem }: JobProcessEnd): string {
  if (problem !== null) return problem;
  if (signal !== null)
    return `ended by ${signal}${signal === 'SIGKILL' ? ' (the system does that when memory runs out)' : ''}`;
  return exitCode === 0 ? '' : `exit code ${exitCode}`;
}

function startLabel({ job, resource }: JobStart, shown: (override: string) => boolean): string {
  return jobLabel(job, shown) + (resource ? ` ${resource.key}=${resource.amount}` : '');
}
