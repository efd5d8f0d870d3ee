import { scheduledRate } from '@bowyer/core';
import type { LoopOptions } from '../types.js';

/** Rate of the policy's optimizer in an iteration: by its schedule, whose first step is the first iteration after `warmupIter`. */
export function policyRate(iteration: number, options: LoopOptions): number {
  const { lmLr, lmLrFinalShare, warmupIter, iterations } = options;
  const { lmSchedule = { kind: 'linear', warmupSteps: 0, finalShare: lmLrFinalShare } } = options;
  const totalSteps = Math.max(1, iterations - 1 - warmupIter);
  return scheduledRate(lmLr, iteration - warmupIter, totalSteps, lmSchedule);
}
