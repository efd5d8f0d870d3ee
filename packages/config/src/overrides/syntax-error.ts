// A place in an override that does not follow the grammar; whoever knows the whole override makes a ConfigError of it.
export class OverrideSyntaxError extends Error {
  override readonly name = 'OverrideSyntaxError';
  /** Keeps the place of the mistake. @param index of the character in the override that the grammar stopped at */
  constructor(
    message: string,
    readonly index: number,
    readonly remedy?: string,
  ) {
    super(message);
  }
}
