// A bound on work that can be aborted.

/** Timers with a longer wait fire at once. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** The error for work that took longer than it may. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';

  constructor(milliseconds: number, what = 'no complete answer') {
    super(`${what} within ${milliseconds} ms`);
  }
}

/**
 * Aborts the work after so many milliseconds (0: never), or when the signal does.
 *
 * @param begun when the milliseconds begin; at once if not given
 * @throws {DeadlineError} where it was too long, whatever the aborted work has thrown
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

/** Runs work that reports its progress, and ends it where it makes none for so long. */
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
