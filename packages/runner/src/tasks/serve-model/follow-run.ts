// Follows a run: loads the policy of its newest checkpoint as soon as it is written.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';

/** Milliseconds between two checks for a newer checkpoint. */
const LOOK_MS = 500;

export interface RunFollower {
  /** Stops looking, and waits for a checkpoint that is being loaded. */
  stop(): Promise<void>;
}

/**
 * Looks for newer checkpoints of a run until it is stopped.
 *
 * @param run its folder, which need not exist yet
 * @param takeUp loads a policy from its folder and the number of its checkpoint; checkpoints that appear while it runs are
 *   skipped, except the newest
 * @param onFailure gets the error of a checkpoint that cannot be loaded, which is not tried again
 */
export function followRun(
  run: string,
  takeUp: (policyFolder: string, checkpoint: number) => Promise<void>,
  onFailure: (error: Error) => void,
): RunFollower {
  let taken = -1;
  let timer: NodeJS.Timeout;
  let stopped = false;
  const look = async () => {
    const newest = newestCheckpoint(run);
    if (newest > taken) {
      taken = newest;
      await takeUp(policyOf(run, newest), newest).catch(onFailure);
    }
    if (!stopped) timer = setTimeout(() => (looking = look()), LOOK_MS);
  };
  let looking = look();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return looking;
    },
  };
}

const policyOf = (run: string, checkpoint: number): string =>
  join(run, 'checkpoints', String(checkpoint).padStart(6, '0'), 'policy');

/** Returns the number of the newest checkpoint, -1 where there is none. Checkpoints get their names once they are complete. */
function newestCheckpoint(run: string): number {
  const folder = join(run, 'checkpoints');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{6}$/.test(name)) : [];
  return maximum([-1, ...names.map(Number).filter((number) => existsSync(policyOf(run, number)))]);
}
