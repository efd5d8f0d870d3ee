// Locks a run's folder. The files of a failed run with another config are moved out of the way.
import type { TaskContext } from '../context/task-context.js';
import { putAside } from './failed-run.js';
import { owningFolder } from './folder-owner.js';
import { openDirectory } from './run-files.js';

/**
 * Runs the work of a run while this process holds the lock of the run's folder.
 *
 * @throws if the folder cannot be written, has results of a run with another config, or is locked by another process that is
 *   alive
 */
export async function owningRun<T>(
  { directory, config: { decisive }, log }: Pick<TaskContext, 'directory' | 'config' | 'log'>,
  work: () => Promise<T>,
): Promise<T> {
  await openDirectory(directory, decisive);
  return owningFolder(directory, 'run', log, async () => {
    // The folder is checked again under the lock, since another process may have changed it until now.
    if ((await openDirectory(directory, decisive)) === 'failed')
      log(
        `the files of a run with another config, which ended without results, are in ${await putAside(directory)} now`,
      );
    return work();
  });
}
