// The error of weight files: which file, which tensor, what was expected, what was found, how to fix it.

/** The error for a weight file that is not what it should be. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';

  /**
   * @param tensor null where the fault is not one tensor's
   * @param advice how to fix it
   */
  constructor(
    readonly path: string,
    readonly tensor: string | null,
    readonly expected: string,
    readonly found: string,
    advice = 'the file is damaged or has the wrong extension: download or save it again',
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
