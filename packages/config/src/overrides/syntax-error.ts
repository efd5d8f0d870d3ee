// Defines the error for a text in an override that violates the grammar. The caller that knows the whole override converts it to
// a ConfigError.
export class OverrideSyntaxError extends Error {
  override readonly name = 'OverrideSyntaxError';
  /**
   * @param index the index of the character in the override at which parsing failed
   */
  constructor(
    message: string,
    readonly index: number,
    readonly remedy?: string,
  ) {
    super(message);
  }
}
