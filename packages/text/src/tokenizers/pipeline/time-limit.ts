// Limits the time of a pattern search: V8 interrupts a script in `node:vm` that exceeds its timeout; a thread watches it, which
// costs about 0.1 ms per call.
import { createContext, Script } from 'node:vm';

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** The time limit of a pattern search in milliseconds; ordinary searches take less than a hundredth of it. */
const LIMIT_MS = 1_000;

const task: { run: () => unknown } = { run: () => undefined };
const context = createContext(task);
const call = new Script('run()', { filename: 'pattern-search' });

/** The first interruption does not count, since the machine may have been suspended. */
const INTERRUPTIONS = 2;
/** The largest number of attempts, including those in which the process was hardly scheduled. */
const MOST_TRIES = 12;

/**
 * Repeats `work` after a first interruption, and after interruptions during which the process had less than a tenth of the CPU
 * time, since the machine is then overloaded.
 *
 * @throws TimeLimitError
 */
export function withinTime<Result extends NonNullable<unknown>>(work: () => Result): Result {
  let interruptions = 0;
  for (let tries = 0; tries < MOST_TRIES && interruptions < INTERRUPTIONS; tries++) {
    const used = cpuClock();
    const result = interruptible(work);
    if (result !== undefined) return result;
    if (used() >= LIMIT_MS / 10) interruptions++;
  }
  return fail();
}

/** Returns a function for the process's CPU time, in milliseconds, since this call. */
export function cpuClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

const fail = (): never => {
  throw new TimeLimitError(`interrupted after ${(INTERRUPTIONS * LIMIT_MS) / 1_000} seconds`);
};

/** Runs work with a timeout; returns undefined if it was interrupted. */
function interruptible<Result>(work: () => Result): Result | undefined {
  const { run: outer } = task;
  task.run = work;
  try {
    return call.runInContext(context, { timeout: LIMIT_MS }) as Result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return undefined;
  } finally {
    task.run = outer;
  }
}
