// Runs one job of a sweep as a process: its output is written to a log in the job's folder, and each line is passed to a
// listener.
import { spawn, type StdioOptions } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { shellQuoted } from '@bowyer/core';
import { ENDS_WITH_PARENT } from '../context/parent.js';

export const LOG_FILE = 'job.log';

interface JobProcessOptions {
  command: readonly [string, ...string[]];
  /** The folder of the log, which is created if it is missing. */
  directory: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Receives every line that the job prints, without colours and cursor movements. */
  onLine(line: string): void;
}

export interface JobProcessEnd {
  /** Null if a signal ended the process, or if it could not be started. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The reason why the process could not be started or its log not be written; null if the job itself ended. */
  problem: string | null;
}

export interface JobProcess {
  readonly pid: number | null;
  readonly ended: Promise<JobProcessEnd>;
  /** Asks the job to write a checkpoint and end. */
  interrupt(): void;
  /** Ends the job and all its child processes immediately. */
  kill(): void;
}

/**
 * In a separate process group, Ctrl-C reaches the job only through its launcher, which can let it write a checkpoint. If the
 * launcher dies, the job ends immediately: see `endWithParent`.
 */
export async function startJobProcess(options: JobProcessOptions): Promise<JobProcess> {
  const { command, directory, cwd, env, onLine } = options;
  await mkdir(directory, { recursive: true });
  const log = createWriteStream(join(directory, LOG_FILE), { flags: 'a' });
  log.write(`${commandLine(command)}\n`);
  const [program, ...args] = command;
  // The IPC channel closes when this process ends, upon which the job ends too.
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];
  const child = spawn(program, args, { cwd, env: { ...env, [ENDS_WITH_PARENT]: '1' }, detached: true, stdio });
  const logWritten = finished(log).catch((error: Error) => {
    // If the log cannot be written, nobody reads the job's output, so that the job would block forever when its pipe is full.
    killGroup(child.pid);
    return error;
  });
  const ended = new Promise<JobProcessEnd>((resolve) => {
    // This listener is added first, since an `error` event without a listener would end the launcher, and a process that could
    // not be started may have no pipes for the code below.
    child.on('error', (error) =>
      resolve({ exitCode: null, signal: null, problem: `could not be started: ${error.message}` }),
    );
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, problem: null }));
  }).then(async (end) => {
    log.end(end.problem ? `${end.problem}\n` : '');
    const error = await logWritten;
    return error ? { ...end, problem: `its log cannot be written: ${error.message}` } : end;
  });
  for (const stream of [child.stdout, child.stderr] as (Readable | undefined)[]) {
    if (stream === undefined) continue;
    stream.pipe(log, { end: false });
    watchLines(stream, onLine);
  }
  return {
    pid: child.pid ?? null,
    ended,
    interrupt: () => void child.kill('SIGINT'),
    kill: () => killGroup(child.pid),
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is to be done, since the process had already ended.
  }
}

/**
 * Calls back with each complete line of a stream. A carriage return ends a line too, since progress bars write it instead of a
 * line feed.
 */
function watchLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/[\r\n]+/);
    rest = lines.pop()!;
    // The pattern removes the colours and cursor movements of a terminal: ESC [ … letter.
    for (const line of lines) if (line.trim()) onLine(line.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, ''));
  });
}

/** Returns the first line of a job's log: the command behind `#`, which can be pasted into a shell. */
export function commandLine(command: readonly string[]): string {
  return `# ${command.map(shellQuoted).join(' ')}`;
}
