// Opens the output of a command in one of four forms: a live view on a terminal, lines in a pipe, JSON lines for scripts, or
// warnings and results only.
import { Console } from 'node:console';
import { printable, writeLines, type JobContext, type SweepRequest } from '@bowyer/config';
import { isLiveTerminal, LiveRegion, type ProgressOutput } from '@bowyer/logging';
import type { TaskContext } from './task-context.js';

type Settings = Readonly<Record<'quiet' | 'json', unknown>> & {
  /** Whether the task communicates over standard output with another program, so that it may not print there. */
  isSpoken?: boolean;
};
type Terminal = Pick<TaskContext, 'log' | 'print' | 'progress'> & { close(): void };

const nothing: ProgressOutput = { write: () => true };

export async function openTerminal(context: JobContext, config: Settings): Promise<Terminal> {
  const { quiet, json, isSpoken } = config;
  if (isSpoken === true) return besideProtocol(context, quiet === true);
  if (json === true) return jsonLines(context, quiet === true);
  if (quiet === true) context.limitConsole('WARNING');
  const stream = context.stderr;
  const live = quiet !== true && isLiveTerminal(stream) ? await LiveRegion.open(stream) : undefined;
  const above = (write: () => void) => (live ? live.above(write) : write());
  return {
    log: (message, level = 'INFO') => above(() => context.log(level, message, 'run')),
    print: (text) => above(() => void context.stdout.write(printable(text))),
    progress: quiet === true ? nothing : { live, write: (text) => context.stderr.write(printable(text)) },
    close: () => live?.close(),
  };
}

/**
 * Opens an output for tasks that use standard output as a protocol: everything is written to standard error, even that which
 * modules write to the console.
 */
function besideProtocol({ log, limitConsole, stderr }: JobContext, quiet: boolean): Terminal {
  limitConsole(null);
  const own = globalThis.console;
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  return {
    log(message, level = 'INFO') {
      log(level, message, 'run');
      if (!quiet || level !== 'INFO') writeLines(stderr, message);
    },
    print: (text) => void (quiet || stderr.write(printable(text))),
    progress: nothing,
    close: () => void (globalThis.console = own),
  };
}

/** Opens an output for scripts: one JSON object per line of standard output, with its kind in `event`. */
function jsonLines({ log, limitConsole, stdout }: JobContext, quiet: boolean): Terminal {
  limitConsole(null);
  const report = (event: Record<string, unknown>) => void stdout.write(jsonLine(event));
  return {
    log(message, level = 'INFO') {
      log(level, message, 'run');
      if (!quiet || level !== 'INFO') report({ event: 'log', time: new Date().toISOString(), level, message });
    },
    print: (text) => report({ event: 'text', text }),
    progress: {
      report: (event) => (quiet && event.event !== 'results' ? undefined : report(event)),
      write: () => true,
    },
    close: () => undefined,
  };
}

const jsonLine = (event: Record<string, unknown>): string => `${printable(JSON.stringify(event))}\n`;

/** Opens the output on which a sweep shows the table of its jobs. */
export async function sweepOutput(
  { stdout }: SweepRequest['program'],
  { quiet, json }: Settings,
): Promise<ProgressOutput> {
  const write = (text: string) => writeLines(stdout, text.replace(/\n$/, ''));
  if (json === true) return { write, report: (event) => stdout.write(jsonLine(event)) };
  if (quiet === true) return nothing;
  return { write, ...(isLiveTerminal(stdout) && { live: await LiveRegion.open(stdout) }) };
}
