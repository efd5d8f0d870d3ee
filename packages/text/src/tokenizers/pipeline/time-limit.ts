// A limit on the time that a search for a pattern takes. V8 interrupts both its regular expressions and WebAssembly for the
// time limit of a script in `node:vm`, which a thread watches: about 0.1 ms a call.
import { createContext, Script } from 'node:vm';

/** The error for a search that takes longer than it may. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** Milliseconds; ordinary searches take less than a hundredth of it. */
const LIMIT_MS = 1_000;

const task: { run: () => unknown } = { run: () => undefined };
const context = createContext(task);
const call = new Script('run()', { filename: 'pattern-search' });

/** Interruptions after which a search is given up: the first may be due to the machine, which was suspended meanwhile. */
const INTERRUPTIONS = 2;
/** Interruptions in all, those of a process that hardly ran among them. */
const MOST_TRIES = 12;

/**
 * Returns the result of `work`, which is done again where it is interrupted once, and where it is interrupted while the process had less
 * than a tenth of the time for all its threads: then the machine is overloaded, and the search says nothing of itself.
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

/** Returns a clock that counts the CPU milliseconds of the process from now on. */
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

/** Does work that may be interrupted; undefined where it was. */
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
