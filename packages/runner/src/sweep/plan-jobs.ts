// Plans the jobs of a sweep: composes and checks the config of each job, and determines the job's folder.
import { ConfigError, sweepDimensions, type Composition, type SweepRequest } from '@bowyer/config';
import { rungResources } from './asha.js';
import type { AshaSourceOptions } from './asha-source.js';
import { checkRungs } from './rung-check.js';
import { drawTrials } from './search-space.js';
import { overrideKey, type SweepJob } from './sweep-job.js';
import { launcherKeys, type LauncherConfig, type SweeperConfig } from '../keys/sweep-schema.js';

export interface PlannedSweep {
  jobs: SweepJob[];
  /** The composed configs of the jobs, by job number. */
  compositions: Composition[];
  launcher: LauncherConfig;
  /** Null for another sweeper than sweeper=asha. */
  asha: AshaSourceOptions | null;
  /** Warnings that are logged before the first job starts. */
  warnings: string[];
}

/**
 * @returns null for Hydra's basic sweeper with its basic launcher
 * @throws {ConfigError} if the config of a job is refused, or if two jobs would share a folder
 */
export async function planJobs(request: SweepRequest): Promise<PlannedSweep | null> {
  const launcher = (request.master.setting('launcher') ?? { kind: 'basic' }) as LauncherConfig;
  const sweeper = (request.master.setting('sweeper') ?? { kind: 'basic' }) as SweeperConfig;
  if (launcher.kind === 'basic' && sweeper.kind === 'basic') return null;

  const steering = request.overrides.filter(isSteering);
  const points = sweeper.kind === 'basic' ? plannedPoints(request) : drawnPoints(request, sweeper);
  const compositions: Composition[] = [];
  for (const [index, overrides] of points.entries()) compositions.push(await request.composeJob(index, overrides));
  // The config nodes `launcher` and `sweeper` are checked together with the config of the first job, so that mistakes in them are
  // reported in the same way.
  const [first = []] = points;
  await request.check([await request.composeJob(0, [...first, ...steering])]);
  refuseUnreadKeys(launcher);
  const asha = sweeper.kind === 'asha' ? await ashaOptions(request, sweeper, launcher, first) : null;
  await request.check(compositions);
  if (asha) for (const composition of compositions) checkRungs(composition, asha);

  const jobs = points.map((overrides, number) => ({
    number,
    overrides,
    directory: request.jobDirectory(compositions[number]),
  }));
  refuseSharedFolders(jobs);
  const warnings = [unreadBatchSize(request, launcher)];
  return { jobs, compositions, launcher, asha, warnings: warnings.filter((line) => line !== null) };
}

/**
 * Warns about hydra.sweeper.max_batch_size, which only Hydra's basic launcher reads: it starts a batch of jobs when the previous
 * batch has ended.
 */
function unreadBatchSize({ master }: SweepRequest, { kind, jobs }: LauncherConfig): string | null {
  const size = master.setting('hydra.sweeper.max_batch_size');
  if (kind === 'basic' || size === undefined || size === null) return null;
  const instead =
    kind === 'kubernetes'
      ? 'Kubernetes starts a pod whenever it has the resources (launcher.parallelism)'
      : kind === 'slurm'
        ? 'Slurm starts a job whenever it has the resources (launcher.array_parallelism)'
        : `launcher=local starts a job whenever one of its ${jobs ?? 1} places is free (launcher.jobs)`;
  return `hydra.sweeper.max_batch_size=${String(size)} has no effect: ${instead}`;
}

/** Refuses a key of the config node `launcher` that belongs to another kind of launcher and would have no effect. */
function refuseUnreadKeys(launcher: LauncherConfig): void {
  const unread = Object.keys(launcher).find((key) => key !== 'kind' && !launcherKeys[launcher.kind].includes(key));
  if (unread === undefined) return;
  const readers = Object.entries(launcherKeys).flatMap(([kind, keys]) => (keys.includes(unread) ? [kind] : []));
  throw new ConfigError(
    'sweep',
    `launcher.${unread} has no effect with launcher=${launcher.kind}`,
    [`leave it out, or choose ${readers.map((kind) => `launcher=${kind}`).join(' or ')}`],
    { keyPath: `launcher.${unread}` },
  );
}

/**
 * Returns whether an override belongs to the sweep itself and not to its jobs. Such overrides are not part of a job, since the
 * same job with another number of processes must not become another job.
 */
function isSteering(override: string): boolean {
  return /^(launcher|sweeper)(\.|$)/.test(overrideKey(override));
}

function plannedPoints(request: SweepRequest): string[][] {
  const { jobs } = request.plan();
  for (const dimension of sweepDimensions(request.overrides.filter(isSteering), request.master)) refuseSwept(dimension);
  return jobs.map((overrides) => overrides.filter((override) => !isSteering(override)));
}

function drawnPoints(request: SweepRequest, { kind, trials, seed }: SweeperConfig): string[][] {
  if (typeof trials !== 'number' || seed === undefined)
    throw missingSetting(kind, typeof trials === 'number' ? 'seed' : 'trials');
  const space = sweepDimensions(request.overrides, request.master);
  const [steering, own] = [true, false].map((wanted) => space.filter(({ key }) => isSteering(key) === wanted));
  steering.forEach(refuseSwept);
  return drawTrials(own, trials, seed);
}

function refuseSwept(dimension: ReturnType<typeof sweepDimensions>[number]): void {
  if (dimension.kind === 'values' && dimension.texts.length === 1) return;
  throw new ConfigError(
    'sweep',
    `'${dimension.key}' steers the sweep and cannot be swept over`,
    ['give it one value'],
    {
      keyPath: overrideKey(dimension.key),
    },
  );
}

async function ashaOptions(
  request: SweepRequest,
  sweeper: SweeperConfig,
  launcher: LauncherConfig,
  first: readonly string[],
): Promise<AshaSourceOptions> {
  const {
    metric,
    direction,
    resource_key: resourceKey,
    min_resource: min,
    max_resource: max,
    reduction_factor: reductionFactor,
  } = sweeper;
  const needed = ['metric', 'direction', 'resource_key', 'min_resource', 'max_resource', 'reduction_factor'] as const;
  for (const key of needed) if (sweeper[key] === undefined) throw missingSetting('asha', key);
  if (launcher.kind !== 'local') {
    throw new ConfigError(
      'sweep',
      `sweeper=asha starts a job several times, which launcher=${launcher.kind} cannot do`,
      ['add launcher=local, and launcher.jobs=N for N jobs at once'],
    );
  }
  if (min! > max!) {
    throw new ConfigError('sweep', `sweeper.min_resource (${min}) is above sweeper.max_resource (${max})`, [], {
      keyPath: 'sweeper.min_resource',
    });
  }
  if (first.some((override) => overrideKey(override) === resourceKey)) {
    throw new ConfigError('sweep', `'${resourceKey}' is given by the sweeper, job by job (sweeper.resource_key)`, [
      `leave out the override of ${resourceKey}; its ends are sweeper.min_resource and sweeper.max_resource`,
    ]);
  }
  // One job is composed here with the key that limits its training, so that an unknown key is reported before anything starts.
  await request.composeJob(0, [...first, `${resourceKey}=${min}`]);
  const rungs = rungResources(min!, max!, reductionFactor!);
  if (rungs.length === 1 && max! > min!) {
    throw new ConfigError(
      'sweep',
      `no trial would be promoted: sweeper.min_resource × reduction_factor (${min! * reductionFactor!}) is above sweeper.max_resource (${max})`,
      ['raise max_resource, or lower one of the others'],
      { keyPath: 'sweeper.max_resource' },
    );
  }
  return {
    metric: metric!,
    direction: direction!,
    resourceKey: resourceKey!,
    rungs,
    reductionFactor: reductionFactor!,
  };
}

function missingSetting(kind: string, key: string): ConfigError {
  return new ConfigError('sweep', `sweeper.${key} is missing`, [`choose the whole group: sweeper=${kind}`], {
    keyPath: `sweeper.${key}`,
  });
}

function refuseSharedFolders(jobs: readonly SweepJob[]): void {
  const owners = new Map<string, number>();
  for (const { number, directory } of jobs) {
    const owner = owners.get(directory);
    if (owner !== undefined) {
      throw new ConfigError('sweep', `jobs #${owner} and #${number} have the same folder: ${directory}`, [
        "give each its own, such as hydra.sweep.subdir='${hydra.job.num}'",
      ]);
    }
    owners.set(directory, number);
  }
}
