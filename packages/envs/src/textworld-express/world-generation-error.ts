// This error says that the generator found no valid world for a seed and its parameters.

export class WorldGenerationError extends Error {
  override readonly name = 'WorldGenerationError';

  constructor(reason: string) {
    super(
      `No world can be made from this seed and these parameters: ${reason}.\n  Take another seed, or ask for less.`,
    );
  }
}
