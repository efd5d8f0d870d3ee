// Defines the error for a weights file in PyTorch's, llama2.c's or GGUF's format that cannot be read.

export class WeightsFileError extends Error {
  override readonly name = 'WeightsFileError';

  constructor(
    readonly path: string,
    problem: string,
    advice = 'the file is damaged or has the wrong extension: download or save it again',
  ) {
    super([`Cannot read weights from ${path}`, `  ${problem}`, `  ${advice}`].join('\n'));
  }
}
