// One run of a user's program: its output goes to a file, its last line to whoever started it, and it ends with all that it has started.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { DeadlineError, withDeadline } from '@bowyer/core';
import { ErrorLine } from './error-line.js';
import { LastLine } from './last-line.js';

export interface ProgramOptions {
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

/**
 * @returns the last line that it has written to standard output
 * @throws where it cannot be started, ends with another exit code than 0 or by a signal, or takes too long; in each case everything in
 *   its process group has been ended
 */
export async function runProgram(options: ProgramOptions): Promise<string> {
  const { timeoutMs, signal } = options;
  signal?.throwIfAborted();
  return withDeadline(timeoutMs, signal, (ended) => runUntil(options, ended)).catch((error: unknown) => {
    throw namedError(error, options);
  });
}

async function runUntil({ command, env, input, outputFile }: ProgramOptions, signal: AbortSignal): Promise<string> {
  if (outputFile !== null) await mkdir(dirname(outputFile), { recursive: true });
  const child = spawn(command, { shell: true, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const output = outputFile === null ? null : createWriteStream(outputFile, { flags: 'a' });
  const written = output && finished(output);
  written?.catch(() => {}); // reported below
  const last = new LastLine();
  child.stdout.on('data', (chunk: Buffer) => last.add(chunk));
  const said = new ErrorLine();
  child.stderr.on('data', (chunk: Buffer) => said.add(chunk));
  for (const stream of [child.stdout, child.stderr])
    if (output) stream.pipe(output, { end: false });
    else stream.resume();
  child.stdin.on('error', () => {}); // it need not read
  child.stdin.end(input ?? '');
  const stop = () => endGroup(child.pid);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, by) => (code === 0 ? resolve() : reject(new Error(endText(code, by, said.text)))));
    });
    signal.throwIfAborted();
    return last.text;
  } finally {
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) killGroup(child.pid, 'SIGKILL'); // what it has left behind
    output?.end();
    await written;
  }
}

/** @param said by the program about the reason, on standard error */
function endText(code: number | null, signal: NodeJS.Signals | null, said: string): string {
  const end = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`;
  return said === '' ? end : `${end}: ${said}`;
}

/** With the command and the place of its output. */
function namedError(error: unknown, { command, outputFile, timeoutMs }: ProgramOptions): Error {
  const { message } =
    error instanceof DeadlineError ? new Error(`did not end within ${timeoutMs / 1000} s (timeout)`) : asError(error);
  const output = outputFile === null ? '' : `\n  its output: ${outputFile}`;
  return new Error(`'${command}' ${message}${output}`, { cause: error });
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Asks it to end, and ends it after a while. */
function endGroup(pid: number | undefined): void {
  killGroup(pid, 'SIGTERM');
  setTimeout(() => killGroup(pid, 'SIGKILL'), GRACE_MS);
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
