// Defines the error for a seed and parameters for which the generator found no valid world.

export class WorldGenerationError extends Error {
  override readonly name = 'WorldGenerationError';

  constructor(reason: string) {
    super(
      `No world can be made from this seed and these parameters: ${reason}.\n  Take another seed, or ask for less.`,
    );
  }
}
