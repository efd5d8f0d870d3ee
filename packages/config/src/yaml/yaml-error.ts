// Defines the error for YAML text that cannot be read, with its place. The caller that opened the file adds the file's name.
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /**
   * @param line 1-based
   * @param column 1-based
   * @param remedy what the author should change
   */
  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
    readonly remedy?: string,
  ) {
    super(message);
  }
}
