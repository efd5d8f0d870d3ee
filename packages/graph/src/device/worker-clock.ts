/** Core's `wallClock`. A worker has its own: loading the whole of core costs each worker a quarter of a second. */
export const wallClock = (): number => performance.timeOrigin + performance.now();
