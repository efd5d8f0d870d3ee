// Reads a run's metrics.jsonl by column, and reduces the number of points per line for the report.
import { readJsonl } from '@bowyer/core';
import type { MetricSeries, MetricTable } from '@bowyer/views';

/** The largest number of points of a line in a chart of the report. */
const CHART_POINTS = 1000;
/** The largest number of points of a metric that the report stores without a chart. */
const OTHER_POINTS = 200;
const DIGITS = 5;

export interface MetricColumns {
  /** The iterations and the values of each metric, in the order of the file. */
  columns: Map<string, { x: number[]; y: number[] }>;
  rows: number;
  torn: string | null;
}

/**
 * Returns whether a name is the one that ArCHer gives to a metric. Such a column repeats the values of a column with our name.
 */
const isLegacy = (key: string) => key.includes('.') && !key.includes('/');

/** Leaves out null, which stands for numbers that were not finite; no columns where the run has not logged any metrics yet. */
export async function readMetrics(path: string): Promise<MetricColumns> {
  const columns: MetricColumns['columns'] = new Map();
  let rows = 0;
  const add = (row: Record<string, number | null> & { iteration: number }) => {
    rows++;
    for (const key in row) {
      const value = row[key];
      if (key === 'iteration' || isLegacy(key) || value === null) continue;
      let column = columns.get(key);
      if (column === undefined) columns.set(key, (column = { x: [], y: [] }));
      column.x.push(row.iteration);
      column.y.push(value);
    }
  };
  const { torn } = await readJsonl(path, add).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return { torn: null };
  });
  return { columns, rows, torn };
}

/** @param charted keys that have a chart in the report, which keep more points */
export function metricTable(
  { columns, rows }: MetricColumns,
  charted: ReadonlySet<string>,
  xLabel: string,
): MetricTable {
  const axes: number[][] = [];
  const axisOf = (x: number[]) => {
    const found = axes.findIndex((axis) => axis.length === x.length && axis.every((value, i) => value === x[i]));
    return found >= 0 ? found : axes.push(x) - 1;
  };
  const series = [...columns].map(([key, { x, y }]): MetricSeries => {
    const isCharted = charted.has(key);
    const thin = thinned(x, y, isCharted ? CHART_POINTS : OTHER_POINTS);
    const { low, high, values } = thin;
    return { key, axis: axisOf(thin.x), values, ...(low && high && isCharted && { low, high }) };
  });
  return { xLabel, axes, series, rows };
}

interface ThinLine {
  x: number[];
  values: number[];
  /** The smallest value in each bucket of points; absent if every bucket is a single row. */
  low?: number[];
  high?: number[];
}

/**
 * Reduces a line to at most `points` buckets of equal size. Each bucket has the mean, the smallest and the largest value of its
 * points.
 */
export function thinned(x: readonly number[], y: readonly number[], points: number): ThinLine {
  const short = (value: number) => Number(value.toPrecision(DIGITS));
  if (x.length <= points) return { x: [...x], values: y.map(short) };
  const thin = { x: [] as number[], values: [] as number[], low: [] as number[], high: [] as number[] };
  for (let bucket = 0; bucket < points; bucket++) {
    const start = Math.floor((bucket * x.length) / points);
    const end = Math.floor(((bucket + 1) * x.length) / points);
    let [sum, low, high] = [0, Infinity, -Infinity];
    for (let i = start; i < end; i++) {
      sum += y[i];
      if (y[i] < low) low = y[i];
      if (y[i] > high) high = y[i];
    }
    thin.x.push(x[end - 1]);
    thin.values.push(short(sum / (end - start)));
    thin.low.push(short(low));
    thin.high.push(short(high));
  }
  return thin;
}
