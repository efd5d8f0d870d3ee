/** Thrown by a phase, such as an evaluation, that was interrupted because the user asked to stop, and that can be repeated. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor(phase: string) {
    super(`the user has stopped the run in its phase '${phase}', which is repeated when it is resumed`);
  }
}

/** Returns the result of `work`; null if it was interrupted. */
export const unlessInterrupted = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: unknown) => {
    if (error instanceof InterruptedError) return null;
    throw error;
  });
