// Defines the error for text in an override that violates the grammar; a caller that knows the whole override makes it a
// ConfigError.
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
