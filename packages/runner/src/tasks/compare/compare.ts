// Implements task=compare: prints which of two runs, or folders of runs, is better, and writes comparison.html with curves and
// the episodes that differ most.
import { comparisonText, readSides } from '../../report/comparison.js';
import { writeComparison } from '../../report/write-report.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { compareOptions } from './unit.js';

export async function compare(
  { task: { dirs } }: TaskConfig<typeof compareOptions>,
  { directory, print }: TaskContext,
): Promise<void> {
  const data = await readSides(...(dirs as [string, string]));
  const path = await writeComparison(directory, data);
  print(`${comparisonText(data)}\n\nreport: ${path}\n`);
}
