import { textTable, wandbSyncCommand } from '@bowyer/logging';
import { syncRuns } from '@bowyer/wandb';
import type { TaskContext } from '../../context/task-context.js';
import type { TaskConfig } from '../task.js';
import type { syncOptions } from './unit.js';

export async function wandbSync(
  { task: { dir } }: TaskConfig<typeof syncOptions, 'dir'>,
  context: TaskContext,
): Promise<void> {
  const { log, print, onInterrupt } = context;
  const runs = await syncRuns(dir, {
    env: process.env,
    note: (message) => log(message),
    warn: (message) => log(message, 'WARNING'),
    onStart: (abort) => onInterrupt(abort, 'stopping; the same command continues from here'),
    syncCommand: wandbSyncCommand,
  });
  print(
    `${textTable(
      ['run', 'folder', ''],
      runs.map(({ id, folder, outcome }) => [id, folder, outcome]),
    )}\n`,
  );
  const failed = runs.filter(({ outcome }) => outcome === 'not sent').length;
  if (failed > 0)
    throw new Error(
      `${failed} of ${runs.length} runs were not sent; they are on disk, and the same command tries again`,
    );
}
