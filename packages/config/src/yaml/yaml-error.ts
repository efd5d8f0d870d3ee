// Defines the error for YAML text that cannot be read. The caller that opened the file adds its name.
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** `line` and `column` are 1-based; `remedy`: what the author should change. */
  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
    readonly remedy?: string,
  ) {
    super(message);
  }
}
