// Implements task=figures: writes learning curves and tables for a paper into the command's output folder, and prints the tables.
import { figuresText, writeFigures } from '../../report/figures/write-figures.js';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { figuresOptions } from './unit.js';

export async function figures(
  { task: { dirs, x, metric } }: TaskConfig<typeof figuresOptions>,
  { directory, print }: TaskContext,
): Promise<void> {
  const written = await writeFigures({ dirs, directory, x, metric });
  print(`${figuresText(written)}\n\n${written.files.map((file) => `wrote ${file}\n`).join('')}`);
}
