// Makes the simplest source of jobs: a fixed list, without the jobs that an earlier start of the sweep finished.
import type { JobMarker } from './job-marker.js';
import type { JobSource, JobStart, SweepJob } from './sweep-job.js';

/**
 * Makes the source of a list of jobs.
 *
 * @param markers of earlier starts, by job number
 */
export function jobList(
  jobs: readonly SweepJob[],
  markers: ReadonlyMap<number, JobMarker>,
): JobSource & { left: number } {
  const waiting = jobs.filter(({ number }) => markers.get(number)?.status !== 'finished');
  return {
    left: waiting.length,
    next(): JobStart | null {
      const job = waiting.shift();
      return job ? { job } : null;
    },
    report() {},
  };
}
