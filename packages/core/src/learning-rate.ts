/**
 * Computes the learning rate: linear warm-up, peak · (step + 1) / warmupSteps, then linear decay to `finalShare` of the peak.
 *
 * @param step 0-based
 * @param options.totalSteps steps after which the decay has ended
 * @param options.finalShare in [0, 1]; 1 keeps the rate constant
 */
export function linearSchedule(
  peak: number,
  step: number,
  { warmupSteps, totalSteps, finalShare }: { warmupSteps: number; totalSteps: number; finalShare: number },
): number {
  if (step < warmupSteps) return (peak * (step + 1)) / warmupSteps;
  const progress = Math.min(1, (step - warmupSteps) / Math.max(1, totalSteps - warmupSteps));
  return peak * (1 - progress * (1 - finalShare));
}
