// Runs the long work of several clients in steps, and lets the event loop handle the network between any two steps.
// `setImmediate` alone would not do this, since it runs the waiting steps of all clients without a pause.

import type { Steps } from '@bowyer/text';

const waiting: (() => void)[] = [];

/** The bytes that all connections may bring in one turn before reading pauses; a single connection can bring 2 MB. */
const AT_ONCE = 2 ** 19;

let arrived = 0;

/** Returns whether this turn of the event loop has received so many bytes that reading should pause. */
export function isEnough(bytes: number): boolean {
  if (arrived === 0) setImmediate(() => (arrived = 0));
  arrived += bytes;
  return arrived > AT_ONCE;
}

/** Waits for a turn of the event loop in which no other waiting step runs, in the order of the calls. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(next);
}

/** Steps of the same work follow each other without a pause for this long; the last one may exceed it. */
const TURN_MS = 4;

/**
 * Lets other work run between the steps of a generator, and returns its result. @throws the signal's reason once it is aborted
 */
export async function inTurns<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  for (;;) {
    const began = performance.now();
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() - began < TURN_MS);
    await turn();
    signal?.throwIfAborted();
  }
}
