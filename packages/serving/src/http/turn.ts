// Runs the long work of several clients in steps, and lets the event loop handle the network between any two steps.
// `setImmediate` alone would not do this, since it runs the waiting steps of all clients without a pause.

import type { Steps } from '@bowyer/text';

const waiting: (() => void)[] = [];

/**
 * The bytes that all connections together may bring in one turn of the event loop before reading pauses; a single connection can
 * bring 2 MB.
 */
const AT_ONCE = 2 ** 19;

let arrived = 0;

/** Counts received bytes. @returns whether this turn of the event loop has received so many that reading should pause */
export function isEnough(bytes: number): boolean {
  if (arrived === 0) setImmediate(() => (arrived = 0));
  arrived += bytes;
  return arrived > AT_ONCE;
}

/**
 * Waits for a turn of the event loop in which no other waiting step runs. Steps run in the order in which they called this
 * function.
 */
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

/**
 * The milliseconds for which steps of the same work follow each other without a pause; the last of these steps may exceed them.
 */
const TURN_MS = 4;

/**
 * Runs a generator that yields after each step of its work, lets other work run in between, and returns the generator's result.
 *
 * @throws the signal's reason once it is aborted
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
