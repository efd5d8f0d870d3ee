import { linearSchedule } from '@bowyer/core';
import type { LoopOptions } from './types.js';

/** Rate of the policy's optimizer in an iteration: from `lmLr` after the warm-up down to its final share at the end. */
export function policyRate(iteration: number, { lmLr, lmLrFinalShare, warmupIter, iterations }: LoopOptions): number {
  const totalSteps = Math.max(1, iterations - 1 - warmupIter);
  return linearSchedule(lmLr, iteration - warmupIter, { warmupSteps: 0, totalSteps, finalShare: lmLrFinalShare });
}
