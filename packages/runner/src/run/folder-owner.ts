// One process at a time works in the folder of a run or a sweep: two would write the same files.
import { join } from 'node:path';
import { withFileLock } from '@bowyer/core';

/**
 * Runs `work` while this process owns the folder.
 *
 * @param what runs there, for the message: `run` or `sweep`
 * @throws if another process that is alive owns it; the folder of a process that has ended is taken over
 */
export function owningFolder<T>(directory: string, what: 'run' | 'sweep', work: () => Promise<T>): Promise<T> {
  const path = join(directory, `${what}.lock`);
  return withFileLock(path, work, {
    refuse: (owner) =>
      new Error(
        `${owner === null ? 'another process' : `process ${owner.pid} on ${owner.host}`} is at work on the ${what} in ${directory}\n` +
          `  wait for its end or stop it, or choose another folder`,
      ),
  });
}
