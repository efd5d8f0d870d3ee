// One job as a process: its output goes to a log in the job's folder, its last line to whoever watches.
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
  /** Program and arguments. */
  command: readonly [string, ...string[]];
  /** The folder of the log, which is made where it is missing. */
  directory: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Gets every line that the job prints, without colours and cursor movements. */
  onLine(line: string): void;
}

export interface JobProcessEnd {
  /** Null if a signal ended it, or if it could not be started. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** An error outside the job itself. */
  problem: string | null;
}

export interface JobProcess {
  readonly pid: number | null;
  readonly ended: Promise<JobProcessEnd>;
  /** Asks the job to write a checkpoint and leave. */
  interrupt(): void;
  /** Ends the job and everything it started, at once. */
  kill(): void;
}

/**
 * Starts a job in a process group of its own, so that Ctrl-C in the terminal reaches it only through its launcher. If the
 * launcher dies, the job ends at once: see `endWithParent`.
 */
export async function startJobProcess(options: JobProcessOptions): Promise<JobProcess> {
  const { command, directory, cwd, env, onLine } = options;
  await mkdir(directory, { recursive: true });
  const log = createWriteStream(join(directory, LOG_FILE), { flags: 'a' });
  log.write(`${commandLine(command)}\n`);
  const [program, ...args] = command;
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc']; // the last closes when this process ends: the job then ends too
  const child = spawn(program, args, { cwd, env: { ...env, [ENDS_WITH_PARENT]: '1' }, detached: true, stdio });
  const logWritten = finished(log).catch((error: Error) => {
    // Nobody reads the job's output any more: it would wait for ever.
    killGroup(child.pid);
    return error;
  });
  const ended = new Promise<JobProcessEnd>((resolve) => {
    // First of all: an error without a listener would end the launcher, and a process that could not be started may have no pipes.
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
    // It had ended already.
  }
}

/** Calls back with each whole line; a carriage return ends a line too, as progress bars write it. */
function watchLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/[\r\n]+/);
    rest = lines.pop()!;
    // Colours and cursor movements of a terminal: ESC [ … letter.
    for (const line of lines) if (line.trim()) onLine(line.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, ''));
  });
}

/** Writes the first line of a log: the command, to be pasted into a shell without the `#`. */
export function commandLine(command: readonly string[]): string {
  return `# ${command.map(shellQuoted).join(' ')}`;
}
