// Decides by asynchronous successive halving (ASHA) which job of a sweep is started next. A trial is a job of the sweep, and the
// rungs are values of the config key that limits its training, such as the number of iterations.
import { ConfigError } from '@bowyer/config';
import { Asha } from './asha.js';
import type { JobMarker } from './job-marker.js';
import type { JobOutcome, JobSource, JobStart, SweepJob } from './sweep-job.js';

export interface AshaSourceOptions {
  metric: string;
  direction: 'maximize' | 'minimize';
  /** The config key that limits the training of a trial; at each rung it gets the rung's value. */
  resourceKey: string;
  rungs: readonly number[];
  reductionFactor: number;
}

export class AshaSource implements JobSource {
  readonly #asha: Asha;

  /** @param markers the states of jobs from earlier starts of the sweep; unfinished and failed jobs are started first */
  constructor(
    private readonly jobs: readonly SweepJob[],
    markers: ReadonlyMap<number, JobMarker>,
    private readonly options: AshaSourceOptions,
  ) {
    const { rungs, reductionFactor, direction } = options;
    this.#asha = new Asha({ trials: jobs.length, rungs, reductionFactor, direction });
    for (const [number, marker] of markers) {
      refuseOtherRungs(jobs[number], marker, rungs);
      const values = marker.rungs.flatMap(({ value }) => (value === null ? [] : [value]));
      this.#asha.restore(number, values, marker.status === 'finished');
    }
  }

  next(): JobStart | null {
    const next = this.#asha.next();
    if (next === null) return null;
    return { job: this.jobs[next.trial], resource: this.#resource(next.rung) };
  }

  report({ job, resource }: JobStart, { status, metrics }: JobOutcome): void {
    if (status === 'stopped') return;
    const rung = this.options.rungs.indexOf(resource!.amount);
    this.#asha.report({ trial: job.number, rung }, status === 'finished' ? metrics[this.options.metric] : null);
  }

  /** Returns the job with the best value at the highest rung that any job has finished; null when none has finished a rung. */
  best(): { job: SweepJob; resource: { key: string; amount: number }; value: number } | null {
    const best = this.#asha.best();
    return best && { job: this.jobs[best.trial], resource: this.#resource(best.rung), value: best.value };
  }

  #resource(rung: number): { key: string; amount: number } {
    return { key: this.options.resourceKey, amount: this.options.rungs[rung] };
  }
}

function refuseOtherRungs({ number, directory }: SweepJob, marker: JobMarker, rungs: readonly number[]): void {
  const reached = marker.rungs.map(({ resource }) => resource);
  if (reached.every((resource, index) => resource === rungs[index])) return;
  throw new ConfigError(
    'sweep',
    `job #${number} was compared at other resources (${reached.join(', ')}) than this sweep now has (${rungs.join(', ')})`,
    [
      `in ${directory}`,
      'keep sweeper.min_resource, max_resource and reduction_factor, or start a new sweep: hydra.sweep.dir=FOLDER',
    ],
  );
}
