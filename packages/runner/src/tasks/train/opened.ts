/** Things that a run has opened. They are closed in the reverse order, whatever happens. */
export class Opened {
  readonly #closings: (() => Promise<void> | undefined)[] = [];

  /** @returns what was opened */
  add<T>(opened: T, close: (opened: T) => Promise<void> | undefined): T {
    this.#closings.push(() => close(opened));
    return opened;
  }

  /** @throws the first error, after all else has been closed */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closings.splice(0).reverse())
      await Promise.resolve()
        .then(close)
        .catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
