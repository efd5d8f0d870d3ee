// Defines the error for weight files, whose message names the file, the tensor, the expected and found values, and the remedy.

/** The error for a weight file with unexpected contents. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';

  /** @param tensor null if the fault is not in a single tensor; `advice` is the remedy */
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
