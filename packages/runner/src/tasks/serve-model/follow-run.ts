// The policy of a run's newest checkpoint, as soon as it is written.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { maximum } from '@bowyer/core';

/** Between two looks for a newer checkpoint, in ms. */
const LOOK_MS = 500;

export interface RunFollower {
  /** Ends once a checkpoint that is being taken up has been. */
  stop(): Promise<void>;
}

/**
 * @param run its folder, which need not exist yet
 * @param takeUp gets the folder of a policy and the number of its checkpoint, one at a time; checkpoints in between are left out
 * @param onFailure a checkpoint that cannot be taken up is tried no more
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

/** @returns -1 where there is none. Checkpoints get their names once they are whole. */
function newestCheckpoint(run: string): number {
  const folder = join(run, 'checkpoints');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{6}$/.test(name)) : [];
  return maximum([-1, ...names.map(Number).filter((number) => existsSync(policyOf(run, number)))]);
}
