// The local launcher: N jobs at once, each in a process of its own. A job that fails stops no other.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobBoard } from './job-board.js';
import { newMarker, writeMarker, type JobMarker } from './job-marker.js';
import { readJobMetrics } from './job-metrics.js';
import { commandLine, LOG_FILE, startJobProcess, type JobProcess, type JobProcessEnd } from './job-process.js';
import { jobLabel, type JobOutcome, type JobSource, type JobStart } from './sweep-job.js';

export interface LocalLauncherOptions {
  /** Processes at once. */
  jobs: number;
  source: JobSource;
  /** Program and arguments that do what a start asks for. */
  commandOf(start: JobStart): [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Keys to read from a job's files when it ends. */
  metrics: readonly string[];
  /** A finished job without this key counts as failed. */
  requiredMetric?: string;
  board: JobBoard;
  /** Which of a job's overrides its line on the screen shows. */
  shown(override: string): boolean;
  /** What earlier starts of the sweep left, by job number. */
  markers: ReadonlyMap<number, JobMarker>;
}

/** Lines of a failed job's log that are worth showing at once. */
const LAST_LINES = 5;

export class LocalLauncher {
  readonly #running = new Map<number, JobProcess>();
  readonly #markers: Map<number, JobMarker>;
  #interrupts = 0;

  constructor(private readonly options: LocalLauncherOptions) {
    this.#markers = new Map(options.markers);
  }

  /** True once the user asked to stop. */
  get interrupted(): boolean {
    return this.#interrupts > 0;
  }

  /** The first call asks all jobs to write a checkpoint and leave, and starts no more; the second ends them at once. */
  interrupt(): void {
    this.#interrupts++;
    const count = this.#running.size;
    for (const process of this.#running.values()) {
      if (this.#interrupts === 1) process.interrupt();
      else process.kill();
    }
    if (this.#interrupts > 1 || count === 0) return;
    this.options.board.say(
      `stopping: ${count === 1 ? '1 job writes its checkpoint and leaves' : `${count} jobs write their checkpoints and leave`}; Ctrl-C again ends them at once`,
    );
  }

  /** Runs until the source has nothing left, or until the user stops it. */
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
      // A marker could not be written, for instance: the jobs at work end before the error does.
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

    const outcome = await this.#judge(start, end, marker.seconds + (performance.now() - begun) / 1000);
    const { status, note, seconds } = outcome;
    Object.assign(marker, { status, note, seconds, pid: null });
    if (resource && status !== 'stopped') {
      const value = status === 'finished' ? outcome.metrics[this.options.requiredMetric!] : null;
      marker.rungs = [
        ...marker.rungs.filter((rung) => rung.resource < resource.amount),
        { resource: resource.amount, value },
      ];
    }
    await writeMarker(job, marker);
    this.#markers.set(job.number, marker);
    board.ended(job.number, outcome, status === 'failed' ? await this.#lastWords(start) : []);
    source.report(start, outcome);
  }

  async #awaitProcess(start: JobStart, marker: JobMarker): Promise<JobProcessEnd> {
    const { board, commandOf, cwd, env } = this.options;
    const { number, directory } = start.job;
    Object.assign(marker, { status: 'started', note: '', pid: null });
    await writeMarker(start.job, marker);
    const process = await startJobProcess({
      command: commandOf(start),
      directory,
      cwd,
      env,
      onLine: (line) => board.says(number, line),
    });
    this.#running.set(number, process);
    // Ctrl-C may have come between the decision to start and the start.
    if (this.interrupted) process.interrupt();
    marker.pid = process.pid;
    await writeMarker(start.job, marker);
    const end = await process.ended;
    this.#running.delete(number);
    return end;
  }

  /** A job that was asked to stop counts as stopped however it ended: started again, it finds out itself how far it is. */
  async #judge({ job, resource }: JobStart, end: JobProcessEnd, seconds: number): Promise<JobOutcome> {
    const { metrics: keys, requiredMetric } = this.options;
    const wanted = requiredMetric === undefined ? keys : [...new Set([requiredMetric, ...keys])];
    let metrics: Record<string, number | null> = {};
    let unreadable = '';
    try {
      metrics = await readJobMetrics(job.directory, wanted);
      if (resource) metrics = { [resource.key]: resource.amount, ...metrics };
    } catch (error) {
      unreadable = `its figures cannot be read: ${(error as Error).message}`;
    }
    if (this.interrupted) return { status: 'stopped', note: '', seconds, metrics };
    const failure = failureOf(end) || unreadable;
    if (failure) return { status: 'failed', note: failure, seconds, metrics };
    if (requiredMetric !== undefined && metrics[requiredMetric] === null) {
      const note = `neither results.json nor metrics.jsonl has a finite '${requiredMetric}', which sweeper.metric asks for`;
      return { status: 'failed', note, seconds, metrics };
    }
    return { status: 'finished', note: '', seconds, metrics };
  }

  /** What the job printed in the end, this time. */
  async #lastWords(start: JobStart): Promise<string[]> {
    const path = join(start.job.directory, LOG_FILE);
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line.trim());
    const printed = lines.slice(lines.lastIndexOf(commandLine(this.options.commandOf(start))) + 1);
    return [...printed.slice(-LAST_LINES), `whole log: ${path}`];
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
