// Computes learning rates over optimizer steps: constant, linear or cosine, each after a linear warm-up.
import { linearSchedule } from './learning-rate.js';

export interface LearningRateSchedule {
  kind: 'constant' | 'linear' | 'cosine';
  /** The number of warm-up steps until the peak; negative: a tenth of all steps, rounded down (AgentGym's `warmup_step`). */
  warmupSteps: number;
  /** The rate after the last step as a share of the peak, in [0, 1]; ignored for a constant rate. */
  finalShare: number;
}

const DEFAULT_WARMUP_SHARE = 0.1;

/**
 * Computes the learning rate at an optimizer step. With W warm-up steps of T and s steps taken, progress x = (s − W) / (T − W):
 *
 *     s < W      peak · (s + 1) / W
 *     constant   peak
 *     linear     peak · (f + (1 − f) (1 − x))
 *     cosine     peak · (f + (1 − f) (1 + cos πx) / 2)      (Loshchilov & Hutter 2017, arXiv:1608.03983, eq. 5)
 *
 * Differs from AgentGym, whose first step has the rate 0 (peak · s / W) and so changes nothing.
 *
 * @param step s, 0-based
 * @param totalSteps T; later steps keep the final rate
 */
export function scheduledRate(peak: number, step: number, totalSteps: number, schedule: LearningRateSchedule): number {
  const { kind, finalShare } = schedule;
  const warmupSteps = resolveWarmupSteps(schedule.warmupSteps, totalSteps);
  if (kind === 'constant' || step < warmupSteps)
    return linearSchedule(peak, step, { warmupSteps, totalSteps, finalShare: 1 });
  if (kind === 'linear') return linearSchedule(peak, step, { warmupSteps, totalSteps, finalShare });
  const progress = Math.min(1, (step - warmupSteps) / Math.max(1, totalSteps - warmupSteps));
  return peak * (finalShare + ((1 - finalShare) * (1 + Math.cos(Math.PI * progress))) / 2);
}

/** Returns the number of warm-up steps; a negative number becomes ⌊0.1 · totalSteps⌋. */
export function resolveWarmupSteps(warmupSteps: number, totalSteps: number): number {
  return warmupSteps < 0 ? Math.floor(DEFAULT_WARMUP_SHARE * totalSteps) : warmupSteps;
}
