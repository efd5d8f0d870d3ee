// Reads the runs from which the figures of a paper are drawn: the learning curve and the final score of each run, with its method
// and environment.
import { join, resolve } from 'node:path';
import { readJsonl } from '@bowyer/core';
import { readRuns } from '../comparison.js';
import { findRuns } from '../find-runs.js';
import { settingsOf, type ComparedRun, type Setting } from '../settings.js';
import type { XAxis } from './x-axes.js';

export interface PaperRun {
  /** The name of the algorithm; if runs of the algorithm have different settings, the options in which the run differs. */
  method: string;
  environment: string;
  seed: string;
  folder: string;
  curve: { x: number[]; y: number[] };
  score: number;
}

export interface PaperRuns {
  runs: PaperRun[];
  /** The names of the metric that the curves show, and of the metric that is the score. */
  curve: string;
  score: string;
}

/**
 * Names in timings.jsonl that are not added to the training time, since they are not training or are included in another phase.
 */
const NOT_ADDED: ReadonlySet<string> = new Set([
  'eval',
  'checkpoint',
  'gradient wait',
  'gradient exchange',
  'learner idle',
  'collector idle',
]);

/**
 * @param metric of evaluations, rollouts and tests such as `episodic_return`, or a column of metrics.jsonl such as `losses/nll`
 * @throws for a folder without runs, and for a run without the metric or without the counts that `x` needs
 */
export async function readPaperRuns(dirs: readonly string[], x: XAxis, metric: string): Promise<PaperRuns> {
  const folders: string[] = [];
  for (const dir of dirs) folders.push(...(await findRuns(dir)));
  const compared = await readRuns([...new Set(folders.map((folder) => resolve(folder)))]);
  const { curve, score } = metricsFor(compared, metric);
  const named = methodsOf(compared);
  const runs: PaperRun[] = [];
  for (const run of compared) {
    const { x: iterations, y } = columnOf(run, curve);
    const position = await positionsOf(run, x);
    const final = score === curve ? y.at(-1)! : run.record.results!.policies!.at(-1)!.metrics[score];
    runs.push({ ...named.get(run)!, curve: { x: iterations.map(position), y }, score: final });
  }
  refuseTwice(runs);
  return { runs, curve, score };
}

/** Chooses metrics that every run has: evaluations before rollouts, and the final test before the end of the curve. */
function metricsFor(runs: readonly ComparedRun[], metric: string): Pick<PaperRuns, 'curve' | 'score'> {
  const curves = metric.includes('/') ? [metric] : [`eval/${metric}`, `rollout/${metric}`];
  const curve = curves.find((name) => runs.every(({ metrics }) => metrics.columns.has(name)));
  if (curve === undefined) {
    const without = runs.find(({ metrics }) => !metrics.columns.has(curves[0]))!;
    throw new Error(
      `task.metric=${metric}: ${without.record.directory} has no ${curves.join(' and no ')} in metrics.jsonl\n` +
        `  choose one that all runs have: ${sharedMetrics(runs).join(', ') || 'there is none'}`,
    );
  }
  const score = `test/${metric}`;
  const isTested = runs.every(({ record }) => record.results?.policies?.at(-1)?.metrics[score] !== undefined);
  return { curve, score: isTested ? score : curve };
}

const sharedMetrics = (runs: readonly ComparedRun[]): string[] =>
  [...runs[0].metrics.columns.keys()].filter((name) => runs.every(({ metrics }) => metrics.columns.has(name)));

function columnOf({ record, metrics }: ComparedRun, name: string): { x: number[]; y: number[] } {
  const column = metrics.columns.get(name);
  if (column === undefined)
    throw new Error(
      `${record.directory} has no ${name} in metrics.jsonl, so it cannot be counted\n  draw over another axis: task.x=iterations`,
    );
  return column;
}

/** Returns a function that maps an iteration to the position of its end on the x axis. */
async function positionsOf(run: ComparedRun, x: XAxis): Promise<(iteration: number) => number> {
  if (x === 'iterations') return (iteration) => iteration;
  const amounts = x === 'seconds' ? await secondsOf(run) : rolloutsOf(run, x);
  const sums = new Map<number, number>();
  let sum = 0;
  for (const [iteration, amount] of amounts) sums.set(iteration, (sum += amount));
  return (iteration) => {
    const position = sums.get(iteration);
    if (position === undefined)
      throw new Error(
        `task.x=${x}: iteration ${iteration} of ${run.record.directory} was not counted\n  draw over task.x=iterations`,
      );
    return position;
  };
}

/** Returns the number of environment steps, or of sampled tokens, in the rollouts of each iteration. */
function rolloutsOf(run: ComparedRun, x: 'steps' | 'tokens'): [iteration: number, amount: number][] {
  const { x: iterations, y } = columnOf(run, x === 'tokens' ? 'rollout/tokens' : 'rollout/episodes');
  if (x === 'tokens') return iterations.map((iteration, i) => [iteration, y[i]]);
  const turns = columnOf(run, 'rollout/episode_turns').y;
  return iterations.map((iteration, i) => [iteration, Math.round(y[i] * turns[i])]);
}

/** Returns the seconds of each iteration. If an iteration was repeated after a kill, the last time counts. */
async function secondsOf({ record }: ComparedRun): Promise<[iteration: number, seconds: number][]> {
  const found = new Map<number, number>();
  await readJsonl<Record<string, number>>(join(record.directory, 'timings.jsonl'), ({ iteration, ...phases }) => {
    const seconds = Object.entries(phases).filter(([name]) => !NOT_ADDED.has(name));
    found.set(
      iteration,
      seconds.reduce((sum, [, value]) => sum + value, 0),
    );
  });
  return [...found].sort(([a], [b]) => a - b);
}

/** Returns the name of each run's method: its algorithm or, if runs of the algorithm have different settings, its setting. */
function methodsOf(
  runs: readonly ComparedRun[],
): Map<ComparedRun, Pick<PaperRun, 'method' | 'environment' | 'seed' | 'folder'>> {
  const settings = settingsOf(runs);
  const algorithmOf = ({ runs: own }: Setting) => algorithmName(own[0].record);
  const isOne = (setting: Setting) =>
    settings.every(
      (other) =>
        other === setting ||
        algorithmOf(other) !== algorithmOf(setting) ||
        environmentOf(other.runs[0]) !== environmentOf(setting.runs[0]),
    );
  return new Map(
    settings.flatMap((setting) =>
      setting.runs.map((run) => [
        run,
        {
          method: isOne(setting) ? algorithmOf(setting) : setting.name,
          environment: environmentOf(run),
          seed: String(run.record.config.seed ?? '–'),
          folder: run.record.directory,
        },
      ]),
    ),
  );
}

const algorithmName = ({ config, title }: ComparedRun['record']): string => config.algorithm?.name ?? title;

/** Returns the name of the environment; for a user's agent, which has none, the name of the config's task. */
const environmentOf = ({ record: { config } }: ComparedRun): string => config.env?.name ?? config.task?.name ?? '–';

/** Refuses two runs of a method in an environment with the same seed, since they are not independent samples. */
function refuseTwice(runs: readonly PaperRun[]): void {
  const seen = new Map<string, string>();
  for (const { method, environment, seed, folder } of runs) {
    const key = `${method} with seed ${seed} in ${environment}`;
    const other = seen.get(key);
    if (other !== undefined)
      throw new Error(
        `${other} and ${folder} are both ${key}, so they count as one sample\n  give the folder of one of them`,
      );
    seen.set(key, folder);
  }
}
