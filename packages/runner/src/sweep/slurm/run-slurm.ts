// Submits the jobs of a sweep as Slurm job arrays, follows them in Slurm's queue, and collects their results.
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobBoard } from '../job-board.js';
import { newMarker, writeMarker, type JobMarker } from '../job-marker.js';
import { LOG_FILE } from '../job-process.js';
import { judgeJob, lastWords, type FiguresWanted } from '../judge-job.js';
import { jobLabel, type JobSource, type JobStart } from '../sweep-job.js';
import type { SlurmConfig } from '../../keys/sweep-schema.js';
import { batchScript } from './batch-script.js';
import { isOver, taskEnd } from './task-end.js';
import type { QueuedTask, SlurmCommands } from './slurm-commands.js';
import { readSlurmEvents, secondsAtWork } from './slurm-events.js';

interface SlurmLauncherOptions extends FiguresWanted {
  slurm: SlurmCommands;
  config: SlurmConfig;
  /** The source of the sweep's jobs, which are all submitted together. */
  source: JobSource;
  commandOf(start: JobStart): readonly [string, ...string[]];
  cwd: string;
  /** The folder of the sweep; batch scripts and Slurm's own logs are in its subfolder `slurm`. */
  directory: string;
  /** The number that limits the indices of a job array: the largest index is one less. */
  maxArraySize: number;
  board: JobBoard;
  /** Returns whether an override is shown in the labels of jobs. */
  shown(override: string): boolean;
  /** The markers from earlier starts of the sweep, by job number. */
  markers: ReadonlyMap<number, JobMarker>;
}

interface Followed {
  readonly start: JobStart;
  readonly marker: JobMarker;
  state: string;
}

const SECONDS_WITHOUT_ANSWER = 300;

export class SlurmLauncher {
  /** The array tasks that are followed in the queue, by Slurm's id of each, such as `12_3`. */
  readonly #followed = new Map<string, Followed>();
  readonly #arrays = new Set<string>();
  readonly #leave = new AbortController();
  #waits = '';
  #answeredAt = performance.now();

  constructor(private readonly options: SlurmLauncherOptions) {}

  /** Returns whether the user has pressed Ctrl-C, after which the jobs are no longer followed. */
  get interrupted(): boolean {
    return this.#leave.signal.aborted;
  }

  /** Lists the ids of the job arrays that are still waiting or running in Slurm. */
  get arraysLeft(): string[] {
    return [...new Set([...this.#followed.keys()].map(arrayOf))];
  }

  /** Stops following the jobs: they stay in Slurm, and `run` returns. */
  interrupt(): void {
    this.#leave.abort();
  }

  /** Submits the jobs of the source, and follows them until every job has ended or the user presses Ctrl-C. */
  async run(): Promise<void> {
    const { source, slurm } = this.options;
    const starts: JobStart[] = [];
    for (let start = source.next(); start !== null; start = source.next()) starts.push(start);
    await this.#submit(await this.#attach(starts));
    while (this.#followed.size > 0 && !this.interrupted) {
      const tasks = await this.#queue();
      if (tasks) for (const [task, followed] of [...this.#followed]) await this.#look(task, followed, tasks.get(task));
      if (this.#followed.size > 0) await this.#pause();
    }
    for (const [task, { start, marker, state }] of this.#followed) {
      const { seconds } = marker;
      source.report(start, { status: 'submitted', note: `${task} ${state}`, seconds, metrics: {} });
    }
    const table = this.#arrays.size === 0 ? null : await slurm.accounting([...this.#arrays]);
    if (table) await writeFile(join(this.#folder, 'accounting.txt'), table);
  }

  get #folder(): string {
    return join(this.options.directory, 'slurm');
  }

  /**
   * Finds the array tasks that were submitted when the sweep was started before, and follows those that Slurm still knows.
   *
   * @returns the jobs that must be submitted
   */
  async #attach(starts: readonly JobStart[]): Promise<JobStart[]> {
    const { markers, slurm } = this.options;
    const taskOf = ({ job }: JobStart) => {
      const marker = markers.get(job.number);
      return marker?.status === 'started' ? (marker.slurmTask ?? null) : null;
    };
    const known = starts.map(taskOf).filter((task) => task !== null);
    const queue = known.length === 0 ? new Map<string, QueuedTask>() : await slurm.queue(known);
    const fresh: JobStart[] = [];
    for (const start of starts) {
      const task = taskOf(start);
      if (task === null) {
        fresh.push(start);
        continue;
      }
      const events = await readSlurmEvents(start.job.directory);
      const hasSucceeded =
        taskEnd(
          null,
          events.filter((event) => event.task === task),
        ).failure === '';
      if (hasSucceeded || (queue.has(task) && !isOver(queue.get(task)!.state)))
        this.#follow(task, start, markers.get(start.job.number)!);
      else fresh.push(start);
    }
    if (this.#followed.size > 0) this.options.board.say(`following ${this.#followed.size} jobs submitted before`);
    return fresh;
  }

  #follow(task: string, start: JobStart, marker: JobMarker): void {
    this.#followed.set(task, { start, marker, state: '' });
    this.#arrays.add(arrayOf(task));
  }

  /**
   * Submits all jobs as one array if they fit into it; otherwise as several arrays, each of which waits for the end of the
   * previous one.
   */
  async #submit(starts: readonly JobStart[]): Promise<void> {
    const { slurm, config, commandOf, cwd, maxArraySize, markers, board } = this.options;
    await mkdir(this.#folder, { recursive: true });
    let before: string | null = null;
    for (let first = 0; first < starts.length && !this.interrupted; first += maxArraySize) {
      const part = starts.slice(first, first + maxArraySize);
      const tasks = part.map((start) => ({ directory: start.job.directory, command: commandOf(start) }));
      const script = join(this.#folder, `${part[0].job.number}-${part.at(-1)!.job.number}.sh`);
      await writeFile(script, batchScript(tasks, config, { cwd, log: join(this.#folder, '%A_%a.log') }));
      const array: string = await slurm.submit(script, before === null ? [] : [`--dependency=afterany:${before}`]);
      for (const [index, start] of part.entries()) {
        const marker = markers.get(start.job.number) ?? newMarker(start.job);
        Object.assign(marker, { status: 'started', note: '', process: null, slurmTask: `${array}_${index}` });
        await writeMarker(start.job, marker);
        this.#follow(`${array}_${index}`, start, marker);
      }
      board.say(`submitted ${part.length === 1 ? '1 job' : `${part.length} jobs`} to Slurm as array ${array}`);
      before = array;
    }
  }

  /** Returns null while Slurm's controller does not answer. */
  async #queue(): Promise<Map<string, QueuedTask> | null> {
    const { slurm, board } = this.options;
    try {
      const queue = await slurm.queue(this.arraysLeft);
      this.#answeredAt = performance.now();
      const waits = [...queue].filter(([task, { state }]) => state === 'PENDING' && this.#followed.has(task));
      const reasons = [...new Set(waits.map(([, { reason }]) => reason))]
        .filter((reason) => reason !== 'None')
        .sort()
        .join(', ');
      if (reasons !== '' && reasons !== this.#waits) board.say(`${waits.length} waiting: ${reasons}`);
      this.#waits = reasons;
      return queue;
    } catch (error) {
      if (performance.now() - this.#answeredAt > 1000 * SECONDS_WITHOUT_ANSWER) throw error;
      board.say(`squeue failed, trying again: ${(error as Error).message.trim()}`);
      return null;
    }
  }

  async #look(task: string, followed: Followed, queued: QueuedTask | undefined): Promise<void> {
    const { board, shown } = this.options;
    const { start, state: before } = followed;
    const { number, directory } = start.job;
    const state = queued?.state ?? 'absent';
    followed.state = state;
    if (state === 'RUNNING' && before !== 'RUNNING') board.started(number, jobLabel(start.job, shown));
    if (state === 'RUNNING') board.says(number, await lastLine(join(directory, LOG_FILE)));
    if (state === 'PENDING' && before === 'RUNNING') {
      const reason = (await readSlurmEvents(directory)).findLast(({ event }) => event === 'timeout')
        ? 'at its time limit'
        : 'preempted';
      board.say(`${jobLabel(start.job, shown)}: ${reason}, queued again`);
    }
    if (queued === undefined || isOver(state)) await this.#end(task, followed, queued?.state ?? null);
  }

  async #end(task: string, { start, marker }: Followed, state: string | null): Promise<void> {
    const { board, shown, source, slurm, commandOf } = this.options;
    const { job } = start;
    const events = await readSlurmEvents(job.directory);
    const own = events.filter((event) => event.task === task);
    const end = taskEnd(state ?? (await slurm.accountedState(task)), own);
    const outcome = await judgeJob(start, { ...end, seconds: secondsAtWork(events) }, this.options);
    const { status, note, seconds } = outcome;
    Object.assign(marker, { status, note, seconds });
    await writeMarker(job, marker);
    this.#followed.delete(task);
    const isHeading = (line: string) => line.startsWith(`# '${commandOf(start)[0]}'`);
    const words = status === 'failed' ? await lastWords(job, isHeading) : [];
    if (status === 'failed' && own.length === 0) words.push(`Slurm's log: ${join(this.#folder, `${task}.log`)}`);
    board.ended(job.number, outcome, words, jobLabel(job, shown));
    source.report(start, outcome);
  }

  async #pause(): Promise<void> {
    const { poll_seconds: seconds = 10 } = this.options.config;
    await sleep(1000 * seconds, undefined, { signal: this.#leave.signal }).catch(() => undefined);
  }
}

const arrayOf = (task: string) => task.split('_')[0];

/** Reads the last line of a log to which a job is still writing. */
async function lastLine(path: string): Promise<string> {
  const handle = await open(path).catch(() => null);
  if (handle === null) return 'starting';
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, 4096);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return (
      buffer
        .toString('utf8')
        .split(/[\r\n]+/)
        .filter((line) => line.trim())
        .at(-1) ?? ''
    );
  } finally {
    await handle.close();
  }
}
