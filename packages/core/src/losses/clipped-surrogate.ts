export interface PpoClipOptions {
  /** Width of the interval below ratio 1. */
  clipLow: number;
  /** Width of the interval above ratio 1; the paper has one ε for both, DAPO a larger one here. */
  clipHigh: number;
  /** Bound c of −A · c on a token's loss where A < 0 (dual clip); null: none, as in the paper. */
  dualClip: number | null;
}

/**
 * The clipped surrogate of one ratio, ℓ = max(−A · ratio, −A · clip(ratio, 1 − ε_low, 1 + ε_high)), at most −A · c where A < 0.
 *
 * @returns ℓ, its slope dℓ / d logRatio, the ratio, and whether it is outside the interval
 */
export function clippedSurrogate(
  logRatio: number,
  advantage: number,
  { clipLow, clipHigh, dualClip }: PpoClipOptions,
): { loss: number; slope: number; ratio: number; isClipped: boolean } {
  const ratio = Math.exp(logRatio);
  const bounded = Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh);
  const free = -advantage * ratio;
  const clipped = -advantage * bounded;
  const ceiling = dualClip !== null && advantage < 0 ? -advantage * dualClip : Infinity;
  return {
    loss: Math.min(Math.max(free, clipped), ceiling),
    // Flat where a bound decides: d ratio / d logRatio = ratio counts only where the free term does.
    slope: free >= clipped && free <= ceiling ? free : 0,
    ratio,
    isClipped: ratio !== bounded,
  };
}
