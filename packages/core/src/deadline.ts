// Limits the time of work that can be aborted.

/** The longest delay that timers support; with a longer one they fire at once. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Thrown for work that exceeded its time limit. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';

  constructor(milliseconds: number, what = 'no complete answer') {
    super(`${what} within ${milliseconds} ms`);
  }
}

/**
 * Runs work, and aborts it after `milliseconds` (0: never), or when the signal aborts.
 *
 * @param begun when the time begins to count; at once if not given
 * @throws {DeadlineError} if the limit was exceeded, whatever the aborted work throws
 */
export async function withDeadline<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  begun?: Promise<void>,
): Promise<T> {
  const late = new AbortController();
  const error = new DeadlineError(milliseconds);
  let [timer, hasEnded] = [undefined as NodeJS.Timeout | undefined, false];
  const begin = () => {
    if (milliseconds > 0 && !hasEnded)
      timer = setTimeout(() => late.abort(error), Math.min(milliseconds, LONGEST_WAIT_MS));
  };
  if (begun === undefined) begin();
  else void begun.then(begin);
  try {
    return await work(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (caught) {
    throw late.signal.aborted ? error : caught;
  } finally {
    hasEnded = true;
    clearTimeout(timer);
  }
}

/** Runs work that reports its progress, and aborts it if it reports none for `milliseconds`. */
export async function withProgress<T>(
  milliseconds: number,
  what: string,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal, progressed: () => void) => Promise<T>,
): Promise<T> {
  const still = new AbortController();
  const error = new DeadlineError(milliseconds, what);
  const timer = setTimeout(() => still.abort(error), milliseconds);
  try {
    const both = signal === undefined ? still.signal : AbortSignal.any([signal, still.signal]);
    return await work(both, () => timer.refresh());
  } catch (caught) {
    throw still.signal.aborted ? error : caught;
  } finally {
    clearTimeout(timer);
  }
}
