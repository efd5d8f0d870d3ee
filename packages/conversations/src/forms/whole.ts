/** Returns the result of a form's reader, which a server takes in steps, at once. */
export function whole<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
