// The runs of a sweep's folders, as the scripts that write the tables of the studies read them.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { standardError } from '@bowyer/core';

/** Quantiles of Student's t for 95 %, by degrees of freedom. */
const T95 = [NaN, 12.706, 4.303, 3.182, 2.776, 2.571];

export interface Tested {
  /** `last`, `warm start` or `best (…)`. */
  name: string;
  metrics: Record<string, number>;
  /** The interval of the mean return, over the episodes of the test. */
  interval?: { low: number; high: number };
}

/** The part of results.json that the tools read. */
export interface Results {
  policies: Tested[];
  /** Whether training, evaluation and test play the same items, and how many the test played. */
  items?: { noun: string; shared: boolean; played: number };
  optimalReturn?: number;
}

export interface Run {
  folder: string;
  algorithm: string;
  seed: string;
  seconds: number;
  /** When it ended, YYYY-MM-DD. */
  date: string;
  /** Its final test. */
  results: Results;
  /** A line per iteration or epoch. */
  metrics: Record<string, number>[];
}

interface Job {
  overrides: string[];
  status: string;
  seconds: number;
}

function readRun(folder: string): Run | null {
  const job = JSON.parse(readFileSync(join(folder, 'sweep-job.json'), 'utf8')) as Job;
  const results = join(folder, 'results.json');
  if (job.status !== 'finished' || !existsSync(results)) return null;
  const value = (key: string) =>
    job.overrides.find((override) => override.startsWith(`${key}=`))!.slice(key.length + 1);
  const lines = readFileSync(join(folder, 'metrics.jsonl'), 'utf8').trim().split('\n');
  return {
    folder,
    algorithm: value('algorithm'),
    seed: value('seed'),
    seconds: job.seconds,
    date: statSync(results).mtime.toISOString().slice(0, 10),
    results: JSON.parse(readFileSync(results, 'utf8')) as Results,
    metrics: lines.map((line) => JSON.parse(line) as Record<string, number>),
  };
}

/**
 * The finished runs of these folders of sweeps; of a run that is in several the last counts.
 *
 * @throws Error if there is none
 */
export function finishedRuns(sweeps: readonly string[]): Run[] {
  const found = sweeps.flatMap((sweep) =>
    readdirSync(sweep)
      .filter((name) => existsSync(join(sweep, name, 'sweep-job.json')))
      .sort((a, b) => Number(a) - Number(b))
      .flatMap((name) => readRun(join(sweep, name)) ?? []),
  );
  if (found.length === 0) throw new Error('no finished run found; give the folders of the sweep');
  return [...new Map(found.map((run) => [`${run.algorithm} ${run.seed}`, run])).values()];
}

/** The final test's policy of this name, or whose name begins with it. */
export const tested = (run: Run, name: string): Tested | undefined =>
  run.results.policies.find((policy) => policy.name.startsWith(name));

export const testReturn = (policy: Tested): number => policy.metrics['test/episodic_return'];

/** Half the 95 % interval of Student's t around the mean; – for one value. */
export const halfInterval = (values: readonly number[], digits: number): string =>
  values.length < 2 ? '–' : `± ${(T95[values.length - 1] * standardError(values)).toFixed(digits)}`;

export const headCommit = (): string =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
