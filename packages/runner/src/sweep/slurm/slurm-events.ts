// Events that a job's batch script writes beside its log, so that its end is known without accounting and after the launcher has left.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const EVENTS_FILE = 'slurm-events.jsonl';

export interface SlurmEvent {
  /** Seconds since 1970. */
  time: number;
  /** `12_3`: array and index. */
  task: string;
  /** How often Slurm had started it before. */
  restarts: number;
  /** The nodes as Slurm writes a list: `node[1-2]`. */
  nodes: string;
  /** timeout, preempted: asked for its checkpoint; out of time: at its last permitted time limit. */
  event: 'started' | 'timeout' | 'preempted' | 'requeued' | 'cancelled' | 'out of time' | 'ended';
  /** Exit code, where it ended. */
  code: number | null;
}

/** Reads the events of every submission of this job, oldest first; a line that a crash has cut off is passed over. */
export async function readSlurmEvents(directory: string): Promise<SlurmEvent[]> {
  const text = await readFile(join(directory, EVENTS_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as SlurmEvent];
    } catch {
      return [];
    }
  });
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
