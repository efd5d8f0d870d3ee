// Reads and writes the marker file in the folder of each job of a sweep. A sweep that is started again reads from it whether the
// job is finished, and to which job the folder belongs.
import { join } from 'node:path';
import { ConfigError } from '@bowyer/config';
import { stateOf, writeFileAtomically, type ProcessIdentity } from '@bowyer/core';
import { jsonIfThere } from '../run/read-files.js';
import type { JobStatus, SweepJob } from './sweep-job.js';

const MARKER_FILE = 'sweep-job.json';

export interface JobMarker {
  overrides: string[];
  /** How the job ended. `started`: it runs, or was killed before it could record its end. */
  status: JobStatus | 'started';
  /** The process in which the job was last started, while it runs on this machine. */
  process: ProcessIdentity | null;
  /** Slurm's id of the job's array task, such as `12_3`, if launcher=slurm submitted it last. */
  slurmTask?: string | null;
  note: string;
  /** The wall-clock seconds of all processes of the job that have ended. */
  seconds: number;
  /**
   * With successive halving, the value of the metric at each resource that the job has reached, in ascending order; null if the
   * job failed there.
   */
  rungs: { resource: number; value: number | null }[];
}

export const newMarker = ({ overrides }: SweepJob): JobMarker => ({
  overrides: [...overrides],
  status: 'started',
  process: null,
  note: '',
  seconds: 0,
  rungs: [],
});

export async function writeMarker({ directory }: SweepJob, marker: JobMarker): Promise<void> {
  await writeFileAtomically(join(directory, MARKER_FILE), `${JSON.stringify(marker, null, 1)}\n`);
}

/**
 * Reads the markers from earlier starts of this sweep, by job, before anything is started; null for a job that was never started.
 *
 * @param options.resume false: folders that contain a job are refused
 * @param options.followsSlurm true: jobs that are in Slurm's queue are expected
 * @throws if a folder contains a job with other overrides, one that still runs, or (without resume) any job
 */
export async function readMarkers(
  jobs: readonly SweepJob[],
  options: { resume: boolean; followsSlurm?: boolean },
): Promise<(JobMarker | null)[]> {
  const markers = await Promise.all(jobs.map(readMarker));
  const inUse = jobs.filter((_, index) => markers[index] !== null);
  for (const [index, job] of jobs.entries()) {
    const marker = markers[index];
    if (marker === null) continue;
    refuseOtherJob(job, marker);
    if (marker.status === 'started' && marker.slurmTask && !options.followsSlurm) {
      throw new ConfigError('sweep', `job #${job.number} was submitted to Slurm as ${marker.slurmTask}`, [
        'to follow it there: launcher=slurm launcher.resume=true',
        `to end it there: scancel ${marker.slurmTask}, then launcher=slurm launcher.resume=true once`,
      ]);
    }
    if (options.resume) refuseLiving(job, marker);
  }
  if (inUse.length > 0 && !options.resume) {
    throw new ConfigError(
      'sweep',
      `${inUse.length} of the sweep's ${jobs.length} jobs were started before, the first in ${inUse[0].directory}`,
      [
        'to resume it and leave out what is finished: launcher.resume=true',
        'for a new sweep choose another folder: hydra.sweep.dir=FOLDER',
      ],
    );
  }
  return markers;
}

async function readMarker({ directory }: SweepJob): Promise<JobMarker | null> {
  const path = join(directory, MARKER_FILE);
  try {
    return await jsonIfThere<JobMarker>(path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError('sweep', `${path} was not written by a sweep: it is not JSON`, [
      `delete the folder '${directory}' to start its job again`,
    ]);
  }
}

function refuseOtherJob({ number, overrides, directory }: SweepJob, earlier: JobMarker): void {
  if (JSON.stringify(earlier.overrides) === JSON.stringify(overrides)) return;
  throw new ConfigError('sweep', `the folder of job #${number}, '${directory}', contains a job with other overrides:`, [
    `there: ${earlier.overrides.join(' ') || '(none)'}`,
    `now:   ${overrides.join(' ') || '(none)'}`,
    'to resume that sweep give the same overrides in the same order; for a new one: hydra.sweep.dir=FOLDER',
  ]);
}

/** Refuses to start a job whose earlier process still runs because only the launcher was killed. */
function refuseLiving({ number, directory }: SweepJob, { status, process }: JobMarker): void {
  if (status !== 'started' || !process) return;
  const state = stateOf(process);
  // The lock of the job's folder protects it from processes of other machines.
  if (state === 'ended' || state === 'unknown') return;
  const { pid } = process;
  throw new ConfigError(
    'sweep',
    `job #${number} of an earlier start of this sweep still runs as process ${pid}, in ${directory}`,
    [
      ...(state === 'running' ? [] : [`the process is suspended: kill -CONT ${pid} continues it`]),
      `wait for its end, or stop it: kill -INT ${pid}`,
    ],
  );
}
