// Work that yields now and then, so that a server can give others their turn.

export type Steps<Result> = Generator<undefined, Result>;

/** Does all the work at once. */
export function finished<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
