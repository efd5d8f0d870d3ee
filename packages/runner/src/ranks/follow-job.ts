// Runs a job on a rank other than 0 of a data-parallel run: the same task on the same config as rank 0, but without terminal
// output and without files.
import { writeLines } from '@bowyer/config';
import type { Ranks } from '@bowyer/core';
import { loadPluginFiles } from '../plugins/plugins.js';
import { runTask } from '../run-task.js';
import { withSignals } from '../context/signals.js';
import type { AnnouncedJob } from './leader.js';

export async function followJob(job: AnnouncedJob, ranks: Ranks): Promise<void> {
  const { config, directory, plugins } = job;
  const prefix = `[rank ${ranks.rank}] `;
  await loadPluginFiles(plugins);
  const log = (message: string, level?: 'INFO' | 'WARNING') => {
    if (level === 'WARNING') writeLines(process.stderr, `${prefix}${message}`);
  };
  await withSignals(log, (onInterrupt) =>
    runTask({
      config,
      directory,
      log,
      onInterrupt,
      ranks,
      print: () => {},
      progress: { write: () => undefined },
    }),
  );
}
