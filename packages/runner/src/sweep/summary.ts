// Writes the table of jobs at the end of a sweep: as text for the terminal, and as CSV for spreadsheets and data frames.
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { csvText, duration, textTable } from '@bowyer/logging';
import { figure } from './job-board.js';
import { jobLabel, overrideKey, type JobOutcome, type SweepJob } from './sweep-job.js';

const CSV_FILE = 'sweep.csv';

/** A job and its outcome, which is null for a job that was never started. */
export interface SummaryRow {
  job: SweepJob;
  outcome: JobOutcome | null;
}

/**
 * Returns a function that recognizes overrides in which jobs differ; if all jobs have the same overrides, it accepts all of them.
 */
export function variedOverrides(jobs: readonly SweepJob[]): (override: string) => boolean {
  const counts = new Map<string, number>();
  for (const { overrides } of jobs) for (const text of overrides) counts.set(text, (counts.get(text) ?? 0) + 1);
  const varied = (override: string) => counts.get(override) !== jobs.length;
  return jobs.some(({ overrides }) => overrides.some(varied)) ? varied : () => true;
}

/**
 * Writes the table of jobs for the terminal.
 *
 * @param metrics the metrics to show, with a column for each
 */
export function summaryText(rows: readonly SummaryRow[], metrics: readonly string[], directory: string): string {
  const shown = variedOverrides(rows.map(({ job }) => job));
  const lines = rows.map(({ job, outcome }) => [
    jobLabel(job, shown),
    outcome?.status ?? 'not started',
    ...metrics.map((key) => (typeof outcome?.metrics[key] === 'number' ? figure(outcome.metrics[key]) : '–')),
    outcome === null ? '–' : duration(outcome.seconds),
    job.directory.startsWith(`${directory}/`) ? job.directory.slice(directory.length + 1) : job.directory,
  ]);
  return textTable(['job', 'status', ...metrics, 'time', 'folder'], lines);
}

/**
 * Job number, all overrides, status, metrics, seconds, folder; then a column for each key whose value differs between jobs. Cells
 * without a value are empty.
 */
export function summaryCsv(rows: readonly SummaryRow[], metrics: readonly string[]): string {
  const varied = variedOverrides(rows.map(({ job }) => job));
  const keys = [...new Set(rows.flatMap(({ job }) => job.overrides.filter(varied).map(overrideKey)))];
  const header = ['job', 'overrides', 'status', ...metrics, 'seconds', 'directory', ...keys];
  const lines = rows.map(({ job, outcome }) => [
    String(job.number),
    job.overrides.join(' '),
    outcome?.status ?? 'not started',
    ...metrics.map((key) => String(outcome?.metrics[key] ?? '')),
    outcome?.seconds.toFixed(1) ?? '',
    job.directory,
    ...keys.map((key) => valueOf(job, key)),
  ]);
  return csvText(header, lines);
}

export async function writeSummary(
  directory: string,
  rows: readonly SummaryRow[],
  metrics: readonly string[],
): Promise<string> {
  const path = join(directory, CSV_FILE);
  await writeFileAtomically(path, summaryCsv(rows, metrics));
  return path;
}

function valueOf({ overrides }: SweepJob, key: string): string {
  const override = overrides.findLast((text) => overrideKey(text) === key);
  return override?.slice(override.indexOf('=') + 1) ?? '';
}
