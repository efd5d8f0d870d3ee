// Defines the error for a text that violates the grammar of overrides. The caller converts it to a ConfigError.
export class OverrideSyntaxError extends Error {
  override readonly name = 'OverrideSyntaxError';
  /** @param index the index in the override at which parsing failed */
  constructor(
    message: string,
    readonly index: number,
    readonly remedy?: string,
  ) {
    super(message);
  }
}
