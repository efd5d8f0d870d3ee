// Work in steps on the event loop of a server.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Others wait for at most this long, and one step: in milliseconds. */
const TURN_MS = 4;

/**
 * The result of work that yields after each step; others have their turn in between.
 *
 * @throws the signal's reason once it is aborted
 */
export async function inTurns<Result>(steps: Generator<undefined, Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    const began = performance.now();
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() - began < TURN_MS);
    await nextTurn();
    signal.throwIfAborted();
  }
}
