// Declares work that is divided into steps by a generator, so that a server can serve other requests between two steps.

export type Steps<Result> = Generator<undefined, Result>;

/** Does all steps of the work without interruption, and returns its result. */
export function finished<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
