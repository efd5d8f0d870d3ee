// Implements task=report: writes report.html into the folder of a run, or comparison.html for several runs.
import { join } from 'node:path';
import { comparisonText, readSettings } from '../../report/comparison.js';
import { findRuns, isRun } from '../../report/find-runs.js';
import { writeComparison, writeReport } from '../../report/write-report.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { reportOptions } from './unit.js';

export async function report(
  { task: { dirs } }: TaskConfig<typeof reportOptions>,
  { directory, print }: TaskContext,
): Promise<void> {
  const [only] = dirs;
  if (dirs.length === 1 && isRun(only)) return void print(`report: ${await writeReport(only)}\n`);
  for (const dir of dirs) await findRuns(dir); // fails before anything is written if a folder has no run
  const data = await readSettings(dirs);
  const path = await writeComparison(dirs.length === 1 ? only : directory, data);
  print(`${comparisonText(data)}\n\nreport: ${path}\n`);
  if (dirs.length > 1) print(`runs: ${dirs.map((dir) => join(dir)).join(', ')}\n`);
}
