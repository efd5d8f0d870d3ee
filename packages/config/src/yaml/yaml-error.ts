// A mistake in YAML text, with the place where it was found. The file's name is added by whoever opened the file.
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Keeps the place of the mistake. @param line 1-based. @param column 1-based. @param remedy what the author should change */
  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
    readonly remedy?: string,
  ) {
    super(message);
  }
}
