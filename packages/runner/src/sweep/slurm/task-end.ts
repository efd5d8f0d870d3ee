// Decides how an array task of Slurm ended, from Slurm's state of the task and the events that its batch script has written.
import type { SlurmEvent } from './slurm-events.js';

/** States of a Slurm job that is over, so that Slurm does nothing more with it. */
const FINAL = [
  'COMPLETED',
  'FAILED',
  'TIMEOUT',
  'CANCELLED',
  'OUT_OF_MEMORY',
  'NODE_FAIL',
  'PREEMPTED',
  'BOOT_FAIL',
  'DEADLINE',
  'REVOKED',
  'LAUNCH_FAILED',
];

/** States of a Slurm job that explain a failure better than its exit code does. */
const REASONS: Readonly<Record<string, string>> = {
  OUT_OF_MEMORY: 'it used more memory than it asked for (OUT_OF_MEMORY): raise launcher.mem_gb',
  NODE_FAIL: 'its node failed (NODE_FAIL)',
  BOOT_FAIL: 'its node did not start (BOOT_FAIL)',
  DEADLINE: 'it could not end before its deadline (DEADLINE)',
};

export const isOver = (state: string) => FINAL.includes(state);

/**
 * @param state of the task in Slurm; null where Slurm has no record of the task
 * @param events of this task, oldest first
 * @returns `failure` is empty for a job that ended by itself with exit code 0
 */
export function taskEnd(state: string | null, events: readonly SlurmEvent[]): { failure: string; isStopped: boolean } {
  const last = events.at(-1);
  if (state !== null && state in REASONS) return { failure: REASONS[state], isStopped: false };
  if (last?.event === 'ended') return { failure: last.code === 0 ? '' : `exit code ${last.code}`, isStopped: false };
  if (last?.event === 'out of time') {
    const starts = events.filter(({ event }) => event === 'timeout').length;
    const failure = `at its time limit ${starts === 1 ? 'once' : `${starts} times`} (launcher.max_num_timeout); it has a checkpoint`;
    return { failure, isStopped: false };
  }
  if (state === 'TIMEOUT')
    return {
      failure: 'ended at its time limit before it left by itself: raise launcher.signal_delay_s',
      isStopped: false,
    };
  if (state === 'CANCELLED' || last?.event === 'cancelled') return { failure: 'cancelled in Slurm', isStopped: true };
  return { failure: `ended in Slurm's state ${state ?? 'unknown (no record of it)'}`, isStopped: false };
}
