// Runs a user's program once: its output goes to a file, its last line to the caller, and its child processes end with it.
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
  /** A shell command. */
  command: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Text for its standard input; nothing if not given. */
  input?: string;
  /** The file to which its output is appended; null to discard the output. */
  outputFile: string | null;
  /** The milliseconds after which it is ended; 0 for no limit. */
  timeoutMs: number;
  /** Resolves when its time begins; immediately if not given. */
  begun?: Promise<void>;
  signal?: AbortSignal;
}

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;
const LOOK_MS = 20;

/** The most turns of the event loop for reading the pipes of an ended program, which suffice for everything that pipes can hold. */
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

/**
 * The file descriptors that stay free for the rest of this process and for the calls of each program. V8 aborts the process if it
 * gets none.
 */
const FREE = 16;
const FREE_PER_PROGRAM = 2;
let running = 0;

/** Checks that enough file descriptors are free. @throws if they are not */
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
 * Listens to the end of a child immediately, since an error without a listener would end this process.
 *
 * @throws if it cannot be started
 */
const endOf = (child: ChildProcess): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startError(error)));
    // The event 'close' would wait for all processes with an open handle of the program's output.
    child.once('exit', (code, by) => resolve({ code, by }));
  });

/** The standard output and standard error of a program. */
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

  /** Reads the rest of an ended program's pipes, until no byte arrives in two turns of the event loop. */
  async drain(): Promise<void> {
    for (let turns = 0, before = -1; turns < MOST_TURNS && before !== this.#bytes; turns++) {
      before = this.#bytes;
      await turn();
      await turn();
    }
  }

  /** Closes the pipes, even if other processes hold the other ends. */
  close(): void {
    for (const stream of this.streams) stream.destroy();
  }
}

/** Describes how a program has ended. @param said the reason that the program printed to standard error */
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

/** Adds a remedy to an error of starting a program. */
function startError(error: Error): Error {
  const remedy = startRemedies[(error as NodeJS.ErrnoException).code ?? ''];
  const text = `could not be started: ${error.message}`;
  return new Error(remedy === undefined ? text : `${text}\n  ${remedy}`, { cause: error });
}

/** Adds the command and the file of its output to an error. */
function namedError(error: unknown, { command, outputFile, timeoutMs }: ProgramOptions): Error {
  const { message } =
    error instanceof DeadlineError ? new Error(`did not end within ${timeoutMs / 1000} s (timeout)`) : asError(error);
  const output = outputFile === null ? '' : `\n  its output: ${outputFile}`;
  return new Error(`'${command}' ${message}${output}`, { cause: error });
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Asks a process group to end, and kills it after a while. */
async function endGroup(group: number): Promise<void> {
  const last = performance.now() + GRACE_MS;
  for (let isLeft = signalGroup(group, 'SIGTERM'); isLeft && performance.now() < last; isLeft = signalGroup(group, 0))
    await sleep(LOOK_MS);
  signalGroup(group, 'SIGKILL');
}
