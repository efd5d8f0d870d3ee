// Rounds sizes, so that few different ones occur.

/**
 * Rounds a size up to one of a few: every number to twice `steps`, and beyond that `steps` numbers between a power of two and the
 * next. The result is at most 1 + 1/steps times the size.
 */
export function roundedSize(size: number, steps: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(size, 1))) - Math.log2(steps));
  return Math.ceil(size / step) * step;
}

/** The steps where a buffer is kept for each size: a laptop's memory counts for more than padding. */
export const BUFFER_STEPS = 4;
