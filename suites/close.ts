/** The absolute and relative difference that float32 may make. */
const TOLERANCE = 1e-4;

/** Returns whether two lists of numbers are the same but for rounding. */
export const isClose = (found: readonly number[], expected: readonly number[]): boolean =>
  found.length === expected.length &&
  found.every((value, i) => Math.abs(value - expected[i]) <= TOLERANCE * Math.max(1, Math.abs(expected[i])));
