/** Returns the wall clock in ms, like core's `wallClock`: loading the whole of core costs each worker a quarter of a second. */
export const wallClock = (): number => performance.timeOrigin + performance.now();
