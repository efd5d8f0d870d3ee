// Writes the report of a run (report.html): repeatedly during the run, when it ends or is stopped, and on demand.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mayWrite, writeFileAtomically } from '@bowyer/core';
import { renderPage, type ComparisonData, type RunStatus } from '@bowyer/views';
import { readRun } from './run-data.js';
import type { TaskContext } from '../context/task-context.js';
import { recordEnd, recordStart, type EndStatus } from '../run/start-log.js';
import { CONFIG_FILE } from '../run/recorded-config.js';

export const REPORT_FILE = 'report.html';
const COMPARISON_FILE = 'comparison.html';

/** Returns the path of the file. @param status of the run, given if its folder does not record it yet */
export async function writeReport(directory: string, status?: RunStatus): Promise<string> {
  const path = join(directory, REPORT_FILE);
  await writeFileAtomically(path, await renderPage(await readRun(directory, { status })));
  return path;
}

export async function writeComparison(directory: string, data: ComparisonData): Promise<string> {
  const path = join(directory, COMPARISON_FILE);
  await writeFileAtomically(path, await renderPage(data));
  return path;
}

/**
 * Runs a task and renews its report meanwhile. Records when the task was started and how it ended, and writes the final report
 * however it ends. An error while a report is written does not stop the run.
 *
 * @param work returns the run's status at its end
 * @param pause returns the milliseconds until the next report, from the time that the last one took
 */
export async function withReport(
  { directory, log, agent }: Pick<TaskContext, 'directory' | 'log' | 'agent'>,
  work: () => Promise<EndStatus>,
  pause = pauseAfter,
): Promise<void> {
  await recordStart(directory, agent !== undefined);
  const live = renewReport(directory, pause);
  let end: { status: EndStatus; reason?: string } = { status: 'failed' };
  try {
    end = { status: await work() };
  } catch (error) {
    end.reason = (error as Error).message.split('\n')[0];
    throw error;
  } finally {
    await live.end();
    // If another process has taken over the folder, its own report shows the status.
    if (mayWrite(directory)) await writeEnd(directory, end, log);
  }
}

/** The shortest pause between two reports during a run, in ms. */
const RENEWED_MS = 10_000;
/** The largest share of a run's time that writing its report may take. */
const MOST_SHARE = 0.01;

/** Returns ms, so that reports take at most `MOST_SHARE` of the time. @param tookMs the time that the report took */
export const pauseAfter = (tookMs: number): number => Math.max(RENEWED_MS, tookMs / MOST_SHARE - tookMs);

/** Writes the report repeatedly during the run, so that an open page shows the current state. */
function renewReport(directory: string, pause: (tookMs: number) => number): { end(): Promise<void> } {
  let [timer, writing]: [NodeJS.Timeout | null, Promise<void>] = [null, Promise.resolve()];
  let hasEnded = false;
  const renew = async () => {
    const start = performance.now();
    // Before the run has written its config there is nothing to report. A report that fails because a file is being written is
    // left to the next time.
    if (existsSync(join(directory, CONFIG_FILE)) && mayWrite(directory))
      await writeReport(directory, 'running').catch(() => undefined);
    wait(pause(performance.now() - start));
  };
  const wait = (ms: number) => {
    if (!hasEnded) timer = setTimeout(() => (writing = renew()), ms).unref();
  };
  wait(pause(0));
  return {
    async end() {
      hasEnded = true;
      if (timer !== null) clearTimeout(timer);
      await writing;
    },
  };
}

async function writeEnd(
  directory: string,
  { status, reason }: { status: EndStatus; reason?: string },
  log: TaskContext['log'],
): Promise<void> {
  const warn = (what: string) => (error: Error) => log(`${what} could not be written: ${error.message}`, 'WARNING');
  await recordEnd(directory, status, reason).catch(warn('how the run ended'));
  if (existsSync(join(directory, CONFIG_FILE))) await writeReport(directory).catch(warn(REPORT_FILE));
}
