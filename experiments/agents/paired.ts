// The difference of two models on the same tasks.
import { mean, standardError } from '@bowyer/core';

export interface Difference {
  mean: number;
  /** The 95 % interval of Student's t over tasks. */
  low: number;
  high: number;
}

/** Mean rewards by task, of the same tasks. */
export function pairedDifference(before: Readonly<Record<string, number>>, after: typeof before): Difference {
  const tasks = Object.keys(before);
  const missing = tasks.find((task) => !(task in after));
  if (missing !== undefined || Object.keys(after).length !== tasks.length)
    throw new Error(`the two models were judged on different tasks (${missing ?? 'one has more'})`);
  const differences = tasks.map((task) => after[task] - before[task]);
  const [difference, half] = [mean(differences), tQuantile(tasks.length - 1) * standardError(differences)];
  return { mean: difference, low: difference - half, high: difference + half };
}

/** The quantile of 97.5 %. Source: Abramowitz and Stegun 1964, 26.7.5, with an error below 0.001 from 20 degrees of freedom on. */
function tQuantile(degrees: number): number {
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}

export const isWorse = ({ high }: Difference): boolean => high < 0;
export const isBetter = ({ low }: Difference): boolean => low > 0;
