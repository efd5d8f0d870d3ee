/** Runs a reader to its end without pauses, and returns its result. A server runs it in steps instead. */
export function whole<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
