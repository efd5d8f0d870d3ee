// Rounds the sizes of batches up, so that few different tensor shapes occur.

/**
 * Rounds a size up to one of few sizes. Sizes up to 2 · `steps` stay as they are; above, there are `steps` sizes from each power
 * of two to the next one. The result is at most 1 + 1/steps times the size.
 */
export function roundedSize(size: number, steps: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(size, 1))) - Math.log2(steps));
  return Math.ceil(size / step) * step;
}

/** `steps` for a device that keeps a buffer for each size that occurs: padding costs less than the memory of many buffers. */
export const BUFFER_STEPS = 4;
