// Long work of several clients, cut into steps: between two steps, whosever they are, the event loop looks at the network. With
// `setImmediate` alone the steps of all clients that wait would follow each other in one go.

const waiting: (() => void)[] = [];

/** Bytes that all connections together take in one turn of the event loop; one alone can bring 2 MB. */
const AT_ONCE = 2 ** 19;

let arrived = 0;

/** Counts bytes that have come. @returns whether it is enough for this turn */
export function isEnough(bytes: number): boolean {
  if (arrived === 0) setImmediate(() => (arrived = 0));
  arrived += bytes;
  return arrived > AT_ONCE;
}

/** Resolves in a turn of the event loop in which no other waiting step is done. Those that came first are first. */
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

/** Others wait for at most this long, and one step: in milliseconds. */
const TURN_MS = 4;

/** Work that yields where others may have their turn. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Returns the result of work that yields after each step; others have their turn in between.
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
