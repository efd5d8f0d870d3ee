// Determines the outcome of a sweep's job that has ended, from its exit code and the metrics in its folder. All launchers use it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJobMetrics } from './job-metrics.js';
import { LOG_FILE } from './job-process.js';
import type { JobOutcome, JobStart, SweepJob } from './sweep-job.js';

export interface FiguresWanted {
  /** The metrics to read from the files in a job's folder when it ends. */
  metrics: readonly string[];
  /** The metric that a job must have to count as finished; without it the job counts as failed. */
  requiredMetric?: string;
}

interface JobEnd {
  /** Empty if the job did not fail. */
  failure: string;
  /** A job that was asked to stop counts as stopped however it ended, since it resumes when the sweep is started again. */
  isStopped: boolean;
  /** The wall-clock seconds of all processes of the job so far. */
  seconds: number;
}

/** The number of lines at the end of a failed job's log that are shown. */
const LAST_LINES = 5;

export async function judgeJob(
  { job, resource }: JobStart,
  { failure, isStopped, seconds }: JobEnd,
  { metrics: keys, requiredMetric }: FiguresWanted,
): Promise<JobOutcome> {
  const wanted = requiredMetric === undefined ? keys : [...new Set([requiredMetric, ...keys])];
  let metrics: Record<string, number | null> = {};
  let unreadable = '';
  try {
    metrics = await readJobMetrics(job.directory, wanted);
    if (resource) metrics = { [resource.key]: resource.amount, ...metrics };
  } catch (error) {
    unreadable = `its metrics cannot be read: ${(error as Error).message}`;
  }
  if (isStopped) return { status: 'stopped', note: failure, seconds, metrics };
  const note = failure || unreadable;
  if (note) return { status: 'failed', note, seconds, metrics };
  if (requiredMetric !== undefined && metrics[requiredMetric] === null) {
    const note = `neither results.json nor metrics.jsonl has a finite '${requiredMetric}', which sweeper.metric asks for`;
    return { status: 'failed', note, seconds, metrics };
  }
  return { status: 'finished', note: '', seconds, metrics };
}

/**
 * Reads the last lines that a job has printed since it was last started.
 *
 * @param isHeading recognizes the line that is written to the log each time the job is started
 */
export async function lastWords({ directory }: SweepJob, isHeading: (line: string) => boolean): Promise<string[]> {
  const path = join(directory, LOG_FILE);
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line.trim());
  const printed = lines.slice(lines.findLastIndex(isHeading) + 1);
  return [...printed.slice(-LAST_LINES), `whole log: ${path}`];
}
