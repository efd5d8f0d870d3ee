// A limit on the time that a search for a pattern takes. V8 interrupts both its regular expressions and WebAssembly for the
// time limit of a script in `node:vm`, which a thread watches: about 0.1 ms a call.
import { createContext, Script } from 'node:vm';

/** A search takes longer than it may. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** Milliseconds; ordinary searches take less than a hundredth of it. */
const LIMIT_MS = 1_000;

const task: { run: () => unknown } = { run: () => undefined };
const context = createContext(task);
const call = new Script('run()', { filename: 'pattern-search' });

/**
 * The result of `work`, which is done twice where it is interrupted once: the machine may have been suspended meanwhile.
 *
 * @throws TimeLimitError
 */
export function withinTime<Result extends NonNullable<unknown>>(work: () => Result): Result {
  return interruptible(work) ?? interruptible(work) ?? fail();
}

const fail = (): never => {
  throw new TimeLimitError(`interrupted after ${(2 * LIMIT_MS) / 1_000} seconds`);
};

/** Undefined where it was interrupted. */
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
