// Computes a method's learning curve over several seeds for a paper: the mean of its runs at each position of the x axis, with
// the 95 % interval of the mean.
import { clusteredMean, maximum, minimum } from '@bowyer/core';
import type { PaperRun } from './paper-runs.js';

export interface PaperCurve {
  method: string;
  environment: string;
  points: { x: number; mean: number; low: number | null; high: number | null; runs: number }[];
}

/** The number of positions of a curve whose runs have values at different positions. */
const POINTS = 100;

/**
 * The curve extends from the latest first position to the earliest last position, where all runs have values.
 *
 * @returns 95 % intervals by Student's t over the runs; null for one run
 */
export function paperCurve(runs: readonly PaperRun[]): PaperCurve {
  const [{ method, environment }] = runs;
  const points = positionsOf(runs).map((x) => {
    const values = runs.map(({ curve }) => valueAt(curve, x));
    const { mean, low, high } = clusteredMean(values.map((value) => [value]));
    return { x, mean, runs: runs.length, ...(runs.length > 1 ? { low, high } : { low: null, high: null }) };
  });
  return { method, environment, points };
}

/** Returns the positions of the runs if all have the same; otherwise positions at equal distances. */
function positionsOf(runs: readonly PaperRun[]): number[] {
  const [first, ...others] = runs.map(({ curve }) => curve.x);
  const from = maximum(runs.map(({ curve }) => curve.x[0]));
  const to = minimum(runs.map(({ curve }) => curve.x.at(-1)!));
  const shared = first.filter((x) => x >= from && x <= to);
  if (others.every((xs) => JSON.stringify(xs.filter((x) => x >= from && x <= to)) === JSON.stringify(shared)))
    return shared;
  if (from > to)
    throw new Error(
      `the runs of ${runs[0].method} share no part of the axis: one ends at ${to}, where another has not begun (${from})\n` +
        '  draw over another axis: task.x=iterations',
    );
  return Array.from({ length: POINTS }, (_, i) => from + ((to - from) * i) / (POINTS - 1));
}

/** Returns the linearly interpolated value of a curve at a position. */
function valueAt({ x, y }: PaperRun['curve'], position: number): number {
  const right = x.findIndex((at) => at >= position);
  if (right === -1) return y.at(-1)!; // rounding put the position behind the last point
  if (right === 0 || x[right] === position) return y[right];
  const share = (position - x[right - 1]) / (x[right] - x[right - 1]);
  return y[right - 1] + share * (y[right] - y[right - 1]);
}
