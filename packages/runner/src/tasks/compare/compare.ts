// task=compare: the answer in the terminal, and comparison.html with curves and the episodes that differ most.
import { comparisonText, readSides } from '../../report/comparison.js';
import { writeComparison } from '../../report/write-report.js';
import type { TaskContext } from '../../context/task-context.js';

interface CompareConfig {
  dirs: [first: string, second: string];
}

export async function compare({ dirs }: CompareConfig, { directory, print }: TaskContext): Promise<void> {
  const data = await readSides(...dirs);
  const path = await writeComparison(directory, data);
  print(`${comparisonText(data)}\n\nreport: ${path}\n`);
}
