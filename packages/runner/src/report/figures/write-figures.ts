// Writes files for a paper that compares several methods with several seeds each: learning curves, scores and tables.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { groupBy, writeFileAtomically } from '@bowyer/core';
import { csvText, lineChart, textTable } from '@bowyer/logging';
import { latexTables } from './latex-table.js';
import { paperCurve, type PaperCurve } from './paper-curves.js';
import { readPaperRuns, type PaperRun } from './paper-runs.js';
import { paperScores, type Estimate, type PaperScores } from './paper-scores.js';
import type { XAxis } from './x-axes.js';

export interface FigureOptions {
  /** The folders that contain the runs: each is a run, a sweep, or a folder of several. */
  dirs: readonly string[];
  /** The folder to which the files are written; it is created if it is missing. */
  directory: string;
  /** The x axis of the curves; iterations if not given. */
  x?: XAxis;
  /** A metric of evaluations and tests, or a column of metrics.jsonl; `episodic_return` if not given. */
  metric?: string;
}

export interface PaperFigures extends PaperScores {
  curves: PaperCurve[];
  files: string[];
}

const X_LABELS: Readonly<Record<XAxis, string>> = {
  iterations: 'iteration',
  steps: 'environment steps in rollouts',
  tokens: 'tokens written in rollouts',
  seconds: 'seconds of training',
};

/**
 * Reads the runs of several methods and seeds, and writes curves (SVG, CSV), scores (CSV) and tables (LaTeX).
 *
 * @throws for folders without runs, and for runs without the metric or without the counts of the x axis, before anything is
 *   written
 */
export async function writeFigures(options: FigureOptions): Promise<PaperFigures> {
  const { dirs, directory, x = 'iterations', metric = 'episodic_return' } = options;
  const { runs, curve, score } = await readPaperRuns(dirs, x, metric);
  const scores = paperScores(runs);
  const curves = curvesOf(runs);
  const texts = new Map([
    ['curves.csv', curvesCsv(curves, x)],
    ...scores.environments.map(
      (environment) =>
        [
          scores.environments.length === 1 ? 'curves.svg' : `curves-${environment}.svg`,
          chartOf(curves, environment, { curve, x }),
        ] as const,
    ),
    [
      'runs.csv',
      csvText(
        ['method', 'environment', 'seed', score, 'folder'],
        runs.map((run) => [run.method, run.environment, run.seed, run.score, run.folder]),
      ),
    ],
    ['scores.csv', scoresCsv(scores)],
    ['table.tex', latexTables(scores, score)],
  ]);
  await mkdir(directory, { recursive: true });
  const files = [...texts.keys()].map((name) => join(directory, name));
  for (const [name, text] of texts) await writeFileAtomically(join(directory, name), text);
  return { ...scores, curves, files };
}

function curvesOf(runs: readonly PaperRun[]): PaperCurve[] {
  const groups = groupBy(runs, ({ environment, method }) => JSON.stringify([environment, method]));
  return [...groups.values()].map(paperCurve);
}

function curvesCsv(curves: readonly PaperCurve[], x: XAxis): string {
  const rows = curves.flatMap(({ method, environment, points }) =>
    points.map((point) => [environment, method, point.x, point.mean, point.low, point.high, point.runs]),
  );
  return csvText(['environment', 'method', x, 'mean', 'low', 'high', 'runs'], rows);
}

function chartOf(
  curves: readonly PaperCurve[],
  environment: string,
  { curve, x }: { curve: string; x: XAxis },
): string {
  const series = curves
    .filter((own) => own.environment === environment)
    .map(({ method, points }) => ({
      name: method,
      points: points.map(({ x: at, mean, low, high }) => ({
        x: at,
        y: mean,
        ...(low !== null && high !== null && { low, high }),
      })),
    }));
  return lineChart(series, { title: `${environment}: ${curve}`, xLabel: X_LABELS[x] });
}

function scoresCsv({ environments, methods, improvements }: PaperScores): string {
  const row = (names: readonly string[], { value, interval }: Estimate) => [
    ...names,
    value,
    interval?.low ?? null,
    interval?.high ?? null,
  ];
  return csvText(
    ['statistic', 'method', 'against', 'environment', 'value', 'low', 'high'],
    [
      ...methods.flatMap(({ method, means }) =>
        means.map((mean, i) => row(['mean', method, '', environments[i]], mean)),
      ),
      ...methods.map((own) => row(['iqm', own.method, '', ''], own.interquartileMean)),
      ...improvements.map((pair) => row(['probability_of_improvement', pair.first, pair.second, ''], pair)),
    ],
  );
}

export function figuresText({ environments, methods, improvements }: PaperScores): string {
  const cell = ({ value, interval }: Estimate) =>
    interval === null
      ? value.toFixed(2)
      : `${value.toFixed(2)} (${interval.low.toFixed(2)} … ${interval.high.toFixed(2)})`;
  const rows = methods.map((own) => [
    own.method,
    String(own.seeds),
    ...own.means.map(cell),
    cell(own.interquartileMean),
  ]);
  const pairs = improvements.map((pair) => [`${pair.first} > ${pair.second}`, cell(pair)]);
  return [
    textTable(['method', 'seeds', ...environments, 'IQM'], rows),
    ...(pairs.length > 0 ? [textTable(['probability of improvement', ''], pairs)] : []),
  ].join('\n\n');
}
