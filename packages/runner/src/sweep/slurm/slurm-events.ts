// Reads the events that the batch script of a Slurm job writes into the job's folder. They show how the job ended even if the
// cluster has no accounting and no launcher was running.
import { join } from 'node:path';
import { textIfThere, wholeLines } from '../../run/read-files.js';

export const EVENTS_FILE = 'slurm-events.jsonl';

export interface SlurmEvent {
  /** In seconds since 1970. */
  time: number;
  /** Slurm's id of the array task: the id of the array and the index, `12_3`. */
  task: string;
  /** The number of times that Slurm has started the task before, after a requeue. */
  restarts: number;
  /** The nodes on which the task runs, as Slurm lists them: `node[1-2]`. */
  nodes: string;
  /**
   * timeout and preempted: the job was asked to write a checkpoint; out of time: the time limit was reached and no further
   * restart is permitted.
   */
  event: 'started' | 'timeout' | 'preempted' | 'requeued' | 'cancelled' | 'out of time' | 'ended';
  /** Null unless the event is `ended`. */
  code: number | null;
}

/** Reads the events of all submissions of a job, oldest first; an incomplete line is skipped. */
export async function readSlurmEvents(directory: string): Promise<SlurmEvent[]> {
  return wholeLines<SlurmEvent>((await textIfThere(join(directory, EVENTS_FILE))) ?? '');
}

/** Sums the times during which a job ran: the seconds from each `started` to the last event before the next `started`. */
export function secondsAtWork(events: readonly SlurmEvent[]): number {
  let [seconds, begun, last] = [0, 0, 0];
  for (const { event, time } of events) {
    if (event === 'started') {
      seconds += last - begun;
      begun = time;
    }
    last = time;
  }
  return seconds + last - begun;
}
