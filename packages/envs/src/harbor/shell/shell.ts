// Runs a shell (just-bash) with its own virtual file system in a thread, which is terminated if a command does not end.
import { Worker } from 'node:worker_threads';
import type { Preparation } from '../dockerfile.js';

export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  workdir: string;
  /** Whether the command was ended because it exceeded its time limit. */
  isLate: boolean;
}

/** The error for a shell whose thread was terminated at a limit of time or memory. The shell's files are lost. */
export class ShellEndedError extends Error {
  override readonly name = 'ShellEndedError';
}

/** The thread is terminated this many milliseconds after the time limit at which just-bash ends a command. */
const GRACE_MS = 2_000;
/** The timeout in milliseconds of all requests to the thread except `run`, whose limit is an argument. */
const REQUEST_MS = 60_000;

export class Shell {
  #ended = false;

  private constructor(private readonly worker: Worker) {
    worker.on('error', () => {}); // Without a listener, an error would end the process.
    worker.on('exit', () => (this.#ended = true));
  }

  /** Starts a thread with a shell. @throws {ShellEndedError} if the thread does not start */
  static async start(memoryMb: number): Promise<Shell> {
    const worker = new Worker(new URL('../../../src/harbor/shell/thread.mjs', import.meta.url), {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 8 },
    });
    const shell = new Shell(worker);
    try {
      await shell.#answer<string>(REQUEST_MS);
      return shell;
    } catch (error) {
      await shell.close();
      throw error;
    }
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Replaces the shell by one with a task's files and working folder. @param fileBytes limit of the files' total size */
  async begin({ files, environment, workdir }: Preparation, fileBytes: number): Promise<void> {
    const folders = [workdir, '/logs/verifier', '/logs/agent', '/tmp'];
    await this.#ask('begin', { files, folders, environment, workdir, fileBytes }, REQUEST_MS);
  }

  /** Runs a command in the shell. @throws {ShellEndedError} if the thread had to be terminated */
  run(
    command: string,
    options: { workdir: string; milliseconds: number; environment?: object },
  ): Promise<CommandResult> {
    return this.#ask<CommandResult>('run', { command, environment: {}, ...options }, options.milliseconds + GRACE_MS);
  }

  async place(remove: readonly string[], files: Readonly<Record<string, Uint8Array>>): Promise<void> {
    await this.#ask('place', { remove, files }, REQUEST_MS);
  }

  /** Returns the text of a file in the shell's file system; null if it does not exist. */
  read(path: string): Promise<string | null> {
    return this.#ask<string | null>('read', { path }, REQUEST_MS);
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }

  #ask<T>(request: string, given: object, milliseconds: number): Promise<T> {
    const answer = this.#answer<T>(milliseconds);
    this.worker.postMessage({ request, ...given });
    return answer;
  }

  #answer<T>(milliseconds: number): Promise<T> {
    const { worker } = this;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        worker.off('message', hear).off('error', fail).off('exit', leave);
        settle();
      };
      const lose = (reason: string) => {
        this.#ended = true;
        void worker.terminate();
        end(() => reject(new ShellEndedError(reason)));
      };
      const hear = ({ value, fault }: { value: T; fault?: string }) =>
        fault === undefined ? end(() => resolve(value)) : lose(fault);
      const fail = (error: Error) => lose(error.message);
      const leave = () => lose('its thread ended');
      const timer = setTimeout(() => lose('it did not answer in time'), milliseconds);
      worker.on('message', hear).on('error', fail).on('exit', leave);
    });
  }
}
