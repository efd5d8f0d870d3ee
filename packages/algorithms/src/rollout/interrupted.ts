/** The error for a stop that the user has asked for in a phase that can be repeated, such as an evaluation: it was given up. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor(phase: string) {
    super(`the user has stopped the run in its phase '${phase}', which is repeated when it is resumed`);
  }
}

/** Returns the result of `work`; null if it was given up. */
export const unlessInterrupted = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: unknown) => {
    if (error instanceof InterruptedError) return null;
    throw error;
  });
