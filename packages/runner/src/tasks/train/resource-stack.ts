/**
 * Closes the resources of a run in the reverse order in which they were opened, even if closing one of them fails. It replaces
 * ECMAScript's `AsyncDisposableStack`, which Node 20 does not have.
 */
export class ResourceStack implements AsyncDisposable {
  #closings: (() => Promise<void> | undefined)[] = [];

  /** Adds a resource with the function that closes it, and returns the resource. */
  adopt<T>(opened: T, close: (opened: T) => Promise<void> | undefined): T {
    this.#closings.push(() => close(opened));
    return opened;
  }

  /** Moves all resources to a new stack, which then closes them instead of this one. */
  move(): ResourceStack {
    const moved = new ResourceStack();
    [moved.#closings, this.#closings] = [this.#closings, []];
    return moved;
  }

  /** Throws the first error, after all resources have been closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closings.splice(0).reverse())
      await Promise.resolve()
        .then(close)
        .catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
