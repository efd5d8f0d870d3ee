// Reads the events that a job's batch script writes into the folder of its log, so that its end is known without accounting, and
// even if no launcher was running.
import { join } from 'node:path';
import { textIfThere, wholeLines } from '../../run/read-files.js';

export const EVENTS_FILE = 'slurm-events.jsonl';

export interface SlurmEvent {
  /** Seconds since 1970. */
  time: number;
  /** The array and the index: `12_3`. */
  task: string;
  /** The number of earlier starts by Slurm. */
  restarts: number;
  /** The nodes as Slurm lists them: `node[1-2]`. */
  nodes: string;
  /** timeout, preempted: a checkpoint was requested; out of time: the last permitted time limit was reached. */
  event: 'started' | 'timeout' | 'preempted' | 'requeued' | 'cancelled' | 'out of time' | 'ended';
  /** The exit code of `ended`, else null. */
  code: number | null;
}

/** Reads the events of every submission of this job, oldest first; an incomplete line is skipped. */
export async function readSlurmEvents(directory: string): Promise<SlurmEvent[]> {
  return wholeLines<SlurmEvent>((await textIfThere(join(directory, EVENTS_FILE))) ?? '');
}

/** Sums the seconds from each start of a job to the last event before its next start. */
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
