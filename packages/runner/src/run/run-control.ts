// Handles requests of other processes, such as the dashboard, to a run: to stop, pause or write a checkpoint. A request is a file
// in the run's folder, which the run checks once a second; it obeys at a point from which it can be resumed.
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasLiveOwner, mayWrite, namingFile, writeFileAtomically } from '@bowyer/core';
import type { TaskContext } from '../context/task-context.js';

export const controlActions = ['stop', 'pause', 'resume', 'checkpoint'] as const;
export type ControlAction = (typeof controlActions)[number];

const REQUEST_FILE = 'control.json';
const LOCK_FILE = 'run.lock';
/** The file with a copy of run.lock by which a process shows that it holds the lock and handles requests. */
const OBEYING_FILE = 'takes-requests';
/** The file that exists while the run is paused. */
const PAUSED_FILE = 'paused';
const POLL_MS = 1000;

export class RunControl implements AsyncDisposable {
  /** Whether a checkpoint was requested and has not been written yet. */
  checkpointAsked = false;
  readonly #timer: NodeJS.Timeout;
  #paused = false;
  #reading = false;

  private constructor(
    private readonly directory: string,
    private readonly log: TaskContext['log'],
    private readonly stop: () => void,
  ) {
    this.#timer = setInterval(() => void this.#look(), POLL_MS);
    this.#timer.unref();
  }

  /**
   * Starts handling requests. Requests that were made to an earlier process of the run are removed.
   *
   * @param stop makes the run write a checkpoint and end
   */
  static async open(directory: string, log: TaskContext['log'], stop: () => void): Promise<RunControl> {
    await Promise.all([REQUEST_FILE, PAUSED_FILE].map((name) => rm(join(directory, name), { force: true })));
    const owner = await readText(join(directory, LOCK_FILE));
    const obeying = join(directory, OBEYING_FILE);
    if (owner !== null) await namingFile(obeying, () => writeFile(obeying, owner));
    return new RunControl(directory, log, stop);
  }

  /** Waits while the run is paused. It is called between iterations, where the run's state is consistent. */
  async whilePaused(): Promise<void> {
    if (!this.#paused) return;
    const paused = join(this.directory, PAUSED_FILE);
    await namingFile(paused, () => writeFile(paused, ''));
    this.log('paused');
    while (this.#paused) {
      await wait(POLL_MS / 4);
      await this.#look();
    }
    await namingFile(paused, () => rm(paused, { force: true }));
    this.log('resumed');
  }

  endPause(): void {
    this.#paused = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    if (!mayWrite(this.directory)) return; // another process has taken over the folder
    await Promise.all([OBEYING_FILE, PAUSED_FILE].map((name) => rm(join(this.directory, name), { force: true })));
  }

  /** The file is renamed before it is read, so that a request that arrives meanwhile is not lost. */
  async #look(): Promise<void> {
    if (this.#reading || !existsSync(join(this.directory, REQUEST_FILE))) return;
    this.#reading = true;
    const taken = join(this.directory, `${REQUEST_FILE}.taken`);
    try {
      await rename(join(this.directory, REQUEST_FILE), taken);
      this.#obey((JSON.parse(await readFile(taken, 'utf8')) as { action: ControlAction }).action);
    } catch (error) {
      this.log(`a request in ${REQUEST_FILE} cannot be read: ${(error as Error).message}`, 'WARNING');
    } finally {
      await rm(taken, { force: true });
      this.#reading = false;
    }
  }

  #obey(action: ControlAction): void {
    if (action === 'pause') this.log('pausing after this iteration, as requested');
    if (action === 'checkpoint') this.log('writing a checkpoint after this iteration, as requested');
    if (action === 'stop') this.log('stopping at the next checkpoint, as requested');
    if (action === 'checkpoint') this.checkpointAsked = true;
    else this.#paused = action === 'pause';
    if (action === 'stop') this.stop();
  }
}

/** Returns whether a living process holds the lock of a run's folder, even if the process is suspended. */
export const isUnderWay = (directory: string): Promise<boolean> => hasLiveOwner(join(directory, LOCK_FILE));

export const isPaused = (directory: string): boolean => existsSync(join(directory, PAUSED_FILE));

const readText = (path: string) => readFile(path, 'utf8').catch(() => null);

/** Throws if no process holds the lock of the folder, or if the process does not handle requests. */
export async function requestControl(directory: string, action: ControlAction): Promise<void> {
  if (!(await isUnderWay(directory)))
    throw new Error(
      `${directory}: no process of task=train or task=finetune is at work on this run, and other tasks take no requests`,
    );
  const [owner, obeying] = await Promise.all([LOCK_FILE, OBEYING_FILE].map((name) => readText(join(directory, name))));
  if (obeying === null || owner !== obeying)
    throw new Error(
      `${directory}: the process at work takes no requests yet: it is starting\n` +
        '  ask again when it has logged its first figures, or press Ctrl-C where it was started',
    );
  await writeFileAtomically(join(directory, REQUEST_FILE), `${JSON.stringify({ action })}\n`);
}
