// Runs a user's program once: its output goes to a file, its last line is returned, and its child processes end with it.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Readable } from 'node:stream';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError, withDeadline } from '@bowyer/core';
import { ErrorLine } from './error-line.js';
import { LastLine } from './last-line.js';
import { OutputFile } from './output-file.js';
import { guardGroup, releaseGroup, signalGroup } from './process-groups.js';

interface ProgramOptions {
  /** The shell command that starts the program. */
  command: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The text that the program reads from standard input; nothing if not given. */
  input?: string;
  /** The file to which the program's output is appended; null: the output is discarded. */
  outputFile: string | null;
  /** The time in milliseconds after which the program is ended; 0: no limit. */
  timeoutMs: number;
  /** Resolves when the time limit begins to count; it counts immediately if not given. */
  begun?: Promise<void>;
  signal?: AbortSignal;
}

/** The time in milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
const LOOK_MS = 20;

/** The largest number of event-loop turns in which an ended program's pipes are read, enough for all that pipes can hold. */
const MOST_TURNS = 64;

/**
 * Runs a program until it ends. All processes of its group end with it, even if this process is killed. A process that has left
 * the group, as with `setsid`, is neither awaited nor ended.
 *
 * @returns the last line of its standard output
 * @throws if it cannot be started, ends with an exit code other than 0 or by a signal, or takes too long
 */
export async function runProgram(options: ProgramOptions): Promise<string> {
  const { timeoutMs, signal, begun } = options;
  signal?.throwIfAborted();
  return withDeadline(timeoutMs, signal, (ended) => runUntil(options, ended), begun).catch((error: unknown) => {
    throw namedError(error, options);
  });
}

async function runUntil({ command, env, input, outputFile }: ProgramOptions, signal: AbortSignal): Promise<string> {
  const output = outputFile === null ? null : await OutputFile.open(outputFile);
  try {
    return await runGroup({ command, env, input }, output, signal);
  } finally {
    await output?.end();
  }
}

async function runGroup(
  { command, env, input = '' }: Pick<ProgramOptions, 'command' | 'env' | 'input'>,
  output: OutputFile | null,
  signal: AbortSignal,
): Promise<string> {
  const child = started(command, env);
  const ended = endOf(child);
  const { pid: group, stdin, stdout, stderr } = child;
  if (group === undefined) {
    await ended; // throws the program's error
    throw new Error('could not be started');
  }
  guardGroup(group);
  running++;
  const last = new LastLine();
  const said = new ErrorLine();
  const pipes = new Pipes([stdout, stderr], (chunk, from) => {
    output?.add(chunk);
    (from === stdout ? last : said).add(chunk);
  });
  stdin.on('error', () => {}); // the program need not read its input
  stdin.end(input);
  let stopping: Promise<void> | null = null;
  const stop = () => void (stopping = endGroup(group));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const { code, by } = await ended;
    if (!signal.aborted) signalGroup(group, 'SIGKILL'); // ends the program's remaining child processes
    await pipes.drain();
    signal.throwIfAborted();
    if (code !== 0) throw new Error(endText(code, by, said.text));
    return last.text;
  } finally {
    signal.removeEventListener('abort', stop);
    pipes.close();
    await stopping;
    releaseGroup(group);
    running--;
  }
}

/** The file descriptors that must stay free for this process and each program's calls; V8 aborts the process without any. */
const FREE = 16;
const FREE_PER_PROGRAM = 2;
let running = 0;

/** Checks that enough file descriptors are free to start a program. @throws if they are not */
function checkDescriptors(): void {
  const held: number[] = [];
  try {
    while (held.length < FREE + FREE_PER_PROGRAM * running) held.push(openSync(devNull, 'r'));
  } finally {
    held.forEach((descriptor) => closeSync(descriptor));
  }
}

function started(command: string, env: ProgramOptions['env']) {
  try {
    checkDescriptors();
    return spawn(command, { shell: true, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    throw startError(asError(error));
  }
}

interface ProgramEnd {
  code: number | null;
  by: NodeJS.Signals | null;
}

/**
 * Resolves at the end of a child process. It listens at once, since an `error` without a listener would end this process.
 *
 * @throws if the program cannot be started
 */
const endOf = (child: ChildProcess): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startError(error)));
    // The event `exit` is used, since `close` would wait for all other processes that have inherited the program's output.
    child.once('exit', (code, by) => resolve({ code, by }));
  });

/** The readers of a program's standard output and standard error. */
class Pipes {
  #bytes = 0;

  constructor(
    private readonly streams: readonly Readable[],
    read: (chunk: Buffer, from: Readable) => void,
  ) {
    for (const stream of streams) {
      stream.on('error', () => {}); // a stream that fails ends too
      stream.on('data', (chunk: Buffer) => {
        this.#bytes += chunk.length;
        read(chunk, stream);
      });
    }
  }

  /** Reads what an ended program has left in its pipes, until no byte arrives in two turns of the event loop. */
  async drain(): Promise<void> {
    for (let turns = 0, before = -1; turns < MOST_TURNS && before !== this.#bytes; turns++) {
      before = this.#bytes;
      await turn();
      await turn();
    }
  }

  /** Closes the pipes on this side, even if other processes still have them open. */
  close(): void {
    for (const stream of this.streams) stream.destroy();
  }
}

/** Describes in words how a program has ended. @param said the reason that the program printed to standard error */
function endText(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const end = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`;
  return said === '' ? end : `${end}: ${said}`;
}

const startRemedies: Readonly<Record<string, string>> = {
  EMFILE: 'too many files are open: give a smaller concurrency, or a larger limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine: give a smaller concurrency',
  EAGAIN: 'too many processes run: give a smaller concurrency, or a larger limit (ulimit -u)',
  E2BIG: 'the command and its variables are longer than this machine allows: give less to task.pass_env',
};

/** Adds advice to an error that occurred at the start of a program. */
function startError(error: Error): Error {
  const remedy = startRemedies[(error as NodeJS.ErrnoException).code ?? ''];
  const text = `could not be started: ${error.message}`;
  return new Error(remedy === undefined ? text : `${text}\n  ${remedy}`, { cause: error });
}

/** Adds the program's command and the path of its output file to an error message. */
function namedError(error: unknown, { command, outputFile, timeoutMs }: ProgramOptions): Error {
  const { message } =
    error instanceof DeadlineError ? new Error(`did not end within ${timeoutMs / 1000} s (timeout)`) : asError(error);
  const output = outputFile === null ? '' : `\n  its output: ${outputFile}`;
  return new Error(`'${command}' ${message}${output}`, { cause: error });
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Sends SIGTERM to a process group, and SIGKILL if it has not ended after `GRACE_MS`. */
async function endGroup(group: number): Promise<void> {
  const last = performance.now() + GRACE_MS;
  for (let isLeft = signalGroup(group, 'SIGTERM'); isLeft && performance.now() < last; isLeft = signalGroup(group, 0))
    await sleep(LOOK_MS);
  signalGroup(group, 'SIGKILL');
}
