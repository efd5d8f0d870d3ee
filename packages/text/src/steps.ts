// Declares work that yields at intervals, so that a server can serve others in between.

export type Steps<Result> = Generator<undefined, Result>;

/** Does all the work without interruption. */
export function finished<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
