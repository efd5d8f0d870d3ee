// One run of a user's program: its output goes to a file, its last line to whoever started it, and it ends with all that it has started.
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
  /** A line for the shell. */
  command: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Text for its standard input; nothing if not given. */
  input?: string;
  /** The file that its output is appended to; null: it is not kept. */
  outputFile: string | null;
  /** It is ended after so many milliseconds; 0: never. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Between asking a program to end and ending it. */
const GRACE_MS = 2000;
const LOOK_MS = 20;

/** Turns of the event loop in which what is left in the pipes of an ended program is read: they hold less. */
const MOST_TURNS = 64;

/**
 * Runs a program until it ends. All processes of its group end with it, even if this process is killed; one that has left the
 * group, as `setsid` does, is not waited for, and is left.
 *
 * @returns the last line that it has written to standard output
 * @throws where it cannot be started, ends with another exit code than 0 or by a signal, or takes too long
 */
export async function runProgram(options: ProgramOptions): Promise<string> {
  const { timeoutMs, signal } = options;
  signal?.throwIfAborted();
  return withDeadline(timeoutMs, signal, (ended) => runUntil(options, ended)).catch((error: unknown) => {
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
    await ended; // throws
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
  stdin.on('error', () => {}); // it need not read
  stdin.end(input);
  let stopping: Promise<void> | null = null;
  const stop = () => void (stopping = endGroup(group));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const { code, by } = await ended;
    if (!signal.aborted) signalGroup(group, 'SIGKILL'); // what it has left behind
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

/** Descriptors that stay free for the rest of this process, and for the calls of each program. V8 aborts where it gets none. */
const FREE = 16;
const FREE_PER_PROGRAM = 2;
let running = 0;

/** @throws where this process may open no more files than these */
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

/** Takes the events of a child at once: an error without a listener would end this process. @throws where it cannot be started */
const endOf = (child: ChildProcess): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startError(error)));
    // Not 'close', which waits for all that hold its output.
    child.once('exit', (code, by) => resolve({ code, by }));
  });

/** Standard output and standard error. */
class Pipes {
  #bytes = 0;

  constructor(
    private readonly streams: readonly Readable[],
    read: (chunk: Buffer, from: Readable) => void,
  ) {
    for (const stream of streams) {
      stream.on('error', () => {}); // it ends
      stream.on('data', (chunk: Buffer) => {
        this.#bytes += chunk.length;
        read(chunk, stream);
      });
    }
  }

  /** Reads what an ended program has written: all that is there in two turns of the event loop, until nothing is. */
  async drain(): Promise<void> {
    for (let turns = 0, before = -1; turns < MOST_TURNS && before !== this.#bytes; turns++) {
      before = this.#bytes;
      await turn();
      await turn();
    }
  }

  /** Leaves those that still hold the other ends. */
  close(): void {
    for (const stream of this.streams) stream.destroy();
  }
}

/** @param said by the program about the reason, on standard error */
function endText(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const end = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`;
  return said === '' ? end : `${end}: ${said}`;
}

const startRemedies: Readonly<Record<string, string>> = {
  EMFILE: 'too many files are open: give a smaller concurrency, or a larger limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine: give a smaller concurrency',
  EAGAIN: 'too many processes run: give a smaller concurrency, or a larger limit (ulimit -u)',
  E2BIG: 'the command and its variables are longer than this machine allows: give less to pass_env',
};

/** With what to do about it. */
function startError(error: Error): Error {
  const remedy = startRemedies[(error as NodeJS.ErrnoException).code ?? ''];
  const text = `could not be started: ${error.message}`;
  return new Error(remedy === undefined ? text : `${text}\n  ${remedy}`, { cause: error });
}

/** With the command and the place of its output. */
function namedError(error: unknown, { command, outputFile, timeoutMs }: ProgramOptions): Error {
  const { message } =
    error instanceof DeadlineError ? new Error(`did not end within ${timeoutMs / 1000} s (timeout)`) : asError(error);
  const output = outputFile === null ? '' : `\n  its output: ${outputFile}`;
  return new Error(`'${command}' ${message}${output}`, { cause: error });
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Asks a group to end, and ends it after a while. */
async function endGroup(group: number): Promise<void> {
  const last = performance.now() + GRACE_MS;
  for (let isLeft = signalGroup(group, 'SIGTERM'); isLeft && performance.now() < last; isLeft = signalGroup(group, 0))
    await sleep(LOOK_MS);
  signalGroup(group, 'SIGKILL');
}
