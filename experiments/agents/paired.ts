// The difference of two models on the same tasks.
import { clusteredMean } from '@bowyer/core';

export interface Difference {
  mean: number;
  /** The 95 % interval of Student's t over tasks. */
  low: number;
  high: number;
}

/** Returns the mean over tasks of the difference on a task, from mean rewards by task. @throws where the tasks differ */
export function pairedDifference(before: Readonly<Record<string, number>>, after: typeof before): Difference {
  const tasks = Object.keys(before);
  const missing = tasks.find((task) => !(task in after));
  if (missing !== undefined || Object.keys(after).length !== tasks.length)
    throw new Error(`the two models were judged on different tasks (${missing ?? 'one has more'})`);
  const { mean, low, high } = clusteredMean(tasks.map((task) => [after[task] - before[task]]));
  return { mean, low, high };
}

export const isWorse = ({ high }: Difference): boolean => high < 0;
export const isBetter = ({ low }: Difference): boolean => low > 0;
