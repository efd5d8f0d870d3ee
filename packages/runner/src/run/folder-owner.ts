// Locks the folder of a run or a sweep for one process, since two would write the same files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holderMessage, isUnreported, reportFolder, withFileLock } from '@bowyer/core';
import type { TaskContext } from '../context/task-context.js';

/** For each kind of work, the key that chooses another folder. */
const FOLDER_KEYS = { run: 'save_path', sweep: 'hydra.sweep.dir', server: 'folder' } as const;

/**
 * Runs `work` while this process owns the folder. If the process loses the folder before the work ends, it writes nothing more
 * there: see `protects` of `withFileLock`.
 *
 * @param what names the work, for the message
 * @param say gets a line where the folder's owner may have ended on another machine
 * @throws if another process that is alive owns it; the folder of a process that has ended is taken over
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
 * Checks that a job may use its folder before its record is written there, so that a refused command changes nothing.
 *
 * @throws if another process that is alive owns the folder
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

/** Runs `work` while this process owns an output that the task writes under a temporary name first. */
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
 * Writes a folder once, with `writeNewFolder`, while this process owns it. If the command was killed after the folder was in its
 * place, the same command finds the folder complete.
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
