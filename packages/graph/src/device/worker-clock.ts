/**
 * Returns the wall clock in ms, like core's `wallClock`, which is not imported since loading core costs each worker a quarter of a
 * second.
 */
export const wallClock = (): number => performance.timeOrigin + performance.now();
