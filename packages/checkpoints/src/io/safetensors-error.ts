// The error of weight files: which file, which tensor, what was expected, what was found, how to mend it.

/** A safetensors file is not what it says it is. */
export class SafetensorsError extends Error {
  override readonly name = 'SafetensorsError';

  /**
   * @param tensor null where the fault is not one tensor's
   * @param advice how to mend it
   */
  constructor(
    readonly path: string,
    readonly tensor: string | null,
    readonly expected: string,
    readonly found: string,
    advice = 'the file is damaged or is not what its name says: fetch or save it again',
  ) {
    super(
      [
        `Cannot read ${path}${tensor === null ? '' : `, tensor '${tensor}'`}`,
        `  expected ${expected}`,
        `  found ${found}`,
        `  ${advice}`,
      ].join('\n'),
    );
  }
}
