// Follows a training run for a model server (`task.follow`): loads the policy of the run's newest checkpoint as soon as it is
// written.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';

/** Milliseconds between two checks for a newer checkpoint. */
const LOOK_MS = 500;

export interface RunFollower {
  /** Stops looking for checkpoints, and waits until a checkpoint that is being loaded has been loaded. */
  stop(): Promise<void>;
}

/**
 * @param run the folder of the run, which need not exist yet
 * @param takeUp loads the policy of a checkpoint from its folder, with the checkpoint's number; if several checkpoints are
 * written while it runs, only the newest is loaded afterwards
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

/** -1 where there is none. A checkpoint gets its final name only when it is complete. */
function newestCheckpoint(run: string): number {
  const folder = join(run, 'checkpoints');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{6}$/.test(name)) : [];
  return maximum([-1, ...names.map(Number).filter((number) => existsSync(policyOf(run, number)))]);
}
