/**
 * Closes the resources of a run in the reverse order in which they were opened, even if one of them fails. Stands in for
 * ECMAScript's `AsyncDisposableStack`, which Node 20 does not have.
 */
export class ResourceStack implements AsyncDisposable {
  #closings: (() => Promise<void> | undefined)[] = [];

  /** Adds what was opened, and returns it. */
  adopt<T>(opened: T, close: (opened: T) => Promise<void> | undefined): T {
    this.#closings.push(() => close(opened));
    return opened;
  }

  /** Moves all resources to a new stack, which closes them instead of this one. */
  move(): ResourceStack {
    const moved = new ResourceStack();
    [moved.#closings, this.#closings] = [this.#closings, []];
    return moved;
  }

  /** Closes all resources. @throws the first error, after the others have been closed */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closings.splice(0).reverse())
      await Promise.resolve()
        .then(close)
        .catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
