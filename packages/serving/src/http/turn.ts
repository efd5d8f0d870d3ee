// Runs the long work of several clients in steps, between which the event loop serves the network. With `setImmediate` alone, the
// steps of all waiting clients would run without a pause.

import type { Steps } from '@bowyer/text';

const waiting: (() => void)[] = [];

/** The bytes that all connections together may process in one turn of the event loop; a single one can bring 2 MB. */
const AT_ONCE = 2 ** 19;

let arrived = 0;

/** Counts received bytes. @returns whether they are enough for this turn */
export function isEnough(bytes: number): boolean {
  if (arrived === 0) setImmediate(() => (arrived = 0));
  arrived += bytes;
  return arrived > AT_ONCE;
}

/** Resolves in a turn of the event loop in which no other waiting step runs. Steps run in the order of their calls. */
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

/** The milliseconds of a turn, in addition to one step. */
const TURN_MS = 4;

/**
 * Returns the result of work that yields after each step; other work runs in between.
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
