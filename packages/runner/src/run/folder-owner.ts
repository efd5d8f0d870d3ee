// Locks the folder of a run, a sweep or a server for one process, since two processes would write the same files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holderMessage, isUnreported, reportFolder, withFileLock } from '@bowyer/core';
import type { TaskContext } from '../context/task-context.js';

/** For each kind of folder, the config key with which a user can choose another folder. */
const FOLDER_KEYS = { run: 'save_path', sweep: 'hydra.sweep.dir', server: 'folder' } as const;

/**
 * If the process loses the lock before the work ends, it writes nothing more into the folder: see `protects` of `withFileLock`.
 *
 * @param what the kind of work, for messages
 * @param say gets a message while it is unknown whether the process that holds the lock, on another machine, is alive
 * @throws if another process that is alive holds the lock; the lock of a process that has ended is taken over
 */
export function owningFolder<T>(
  directory: string,
  what: keyof typeof FOLDER_KEYS,
  say: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const remedy = `wait for its end or stop it, or choose another folder: ${FOLDER_KEYS[what]}=FOLDER`;
  return withFileLock(join(directory, `${what}.lock`), work, {
    protects: [directory],
    refuse: (holder) =>
      new Error(holderMessage(holder, (who) => `${who} is at work on the ${what} in ${directory}`, remedy)),
    onWait: (holder) => {
      if (holder.state !== 'unknown') return;
      say(holderMessage(holder, (who) => `${who} had ${directory}: waiting for its heartbeat`));
    },
  });
}

/**
 * Is called before Hydra's record of the config is written, so that a refused command changes nothing.
 *
 * @throws if another process that is alive holds the lock of the folder
 */
export async function admitToFolder(directory: string): Promise<void> {
  if (!existsSync(join(directory, 'run.lock'))) return;
  await owningFolder(
    directory,
    'run',
    () => undefined,
    () => Promise.resolve(),
  );
}

/** Runs `work` while this process holds the lock of an output path, which the task first writes under a temporary name. */
export function owningOutput<T>(output: string, work: () => Promise<T>): Promise<T> {
  const path = output.replace(/\/+$/, '');
  return withFileLock(`${path}.lock`, work, {
    protects: [path],
    refuse: (holder) =>
      new Error(
        holderMessage(
          holder,
          (who) => `${who} writes ${output}`,
          'wait for its end or stop it, or give another output',
        ),
      ),
  });
}

/**
 * Writes a folder with `writeNewFolder` while this process holds its lock. If an earlier command was killed after the folder had
 * got its final name, the same command finds the folder complete.
 *
 * @param write writes the folder and returns the text to print
 */
export function owningNewFolder(
  output: string,
  { config, print }: Pick<TaskContext, 'config' | 'print'>,
  write: (command: string) => Promise<string>,
): Promise<void> {
  const command = JSON.stringify(config.decisive);
  return owningOutput(output, async () => {
    const isWhole = await isUnreported(output, command);
    print(isWhole ? `written: ${output}, by this command before it was killed\n` : await write(command));
    await reportFolder(output);
  });
}
