// Computes the learning curves of settings (configs that differ in more than the seed): the mean, smallest and largest value of
// runs.
import type { BandChart, BandSeries } from '@bowyer/views';
import { chartSpecs } from './charts.js';
import { thinned } from './metric-table.js';
import type { Setting } from './settings.js';

const POINTS = 400;

export function bandCharts(settings: readonly Setting[], xLabel: string): BandChart[] {
  const specs = chartSpecs(null).flatMap(({ keys, title, unit, xLabel: own }) =>
    keys.map((key) => ({ key, title: keys.length === 1 ? title : `${title}: ${key}`, unit, xLabel: own ?? xLabel })),
  );
  return specs.flatMap(({ key, ...chart }) => {
    const series = settings.flatMap((setting) => bandOf(setting, key) ?? []);
    return series.length > 0 && series.some(({ x }) => x.length > 1) ? [{ ...chart, series }] : [];
  });
}

function bandOf({ name, runs }: Setting, key: string): BandSeries | null {
  const at = new Map<number, number[]>();
  for (const { metrics } of runs) {
    const column = metrics.columns.get(key);
    if (column === undefined) continue;
    const { x, values } = thinned(column.x, column.y, POINTS);
    x.forEach((position, i) => at.set(position, [...(at.get(position) ?? []), values[i]]));
  }
  if (at.size === 0) return null;
  // Only positions that all runs have are kept, since the mean would jump where one run ends earlier than the others.
  const most = [...at.values()].reduce((count, { length }) => Math.max(count, length), 0);
  const points = [...at].filter(([, values]) => values.length === most).sort(([a], [b]) => a - b);
  const short = (value: number) => Number(value.toPrecision(5));
  const isBand = most > 1;
  return {
    setting: runs.length > 1 ? `${name} (${runs.length} runs)` : name,
    x: points.map(([x]) => x),
    mean: points.map(([, values]) => short(values.reduce((sum, value) => sum + value, 0) / values.length)),
    low: points.map(([, values]) => (isBand ? values.reduce((least, value) => Math.min(least, value)) : null)),
    high: points.map(([, values]) => (isBand ? values.reduce((largest, value) => Math.max(largest, value)) : null)),
  };
}
