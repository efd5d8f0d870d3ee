// Runs one job (one composed config) of the command line: it opens the terminal's output, handles signals and calls the task that
// the config names.
import type { JobContext } from '@bowyer/config';
import { schemaOf, taskOf } from './config/units.js';
import type { Leader } from './ranks/leader.js';
import { resolvedConfig } from './context/resolved-config.js';
import { runTask } from './run-task.js';
import { withSignals } from './context/signals.js';
import { openTerminal } from './context/terminal.js';

/**
 * @param leader sends the job to the other processes of a data-parallel run; null for a single process
 * @param notes for the log, on translated and implied keys
 */
export async function job(context: JobContext, leader: Leader | null, notes: readonly string[] = []): Promise<void> {
  const { composition, outputDirectory } = context;
  const config = resolvedConfig(composition.resolve(), schemaOf(composition));
  const { plugins = [], quiet, json } = config.values;
  const task = taskOf(composition)!;
  const common = { directory: outputDirectory, config };
  if (leader !== null) {
    if (!task.sharesRanks)
      leader.refuse(`task=${task.name}`, 'start it without them; task=train is what several processes share');
    await leader.announce({ ...common, plugins: plugins as string[] });
  }
  const isSpoken = task.speaksOnStdout?.(config.values) === true;
  const { log, print, progress, close } = await openTerminal(context, { quiet, json, isSpoken });
  for (const note of notes) log(note);
  try {
    await withSignals(log, (onInterrupt) =>
      runTask({ ...common, log, print, progress, onInterrupt, ranks: leader?.ranks }),
    );
  } finally {
    close();
  }
}
