// Makes the source of jobs of an ordinary sweep: a fixed list, without the jobs that finished when the sweep was started before.
import type { JobMarker } from './job-marker.js';
import type { JobSource, JobStart, SweepJob } from './sweep-job.js';

/** @param markers the states of jobs from earlier starts of the sweep, by job number */
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
