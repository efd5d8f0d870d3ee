// The one error of a weights file in PyTorch's or llama2.c's form that cannot be read.

export class WeightsFileError extends Error {
  override readonly name = 'WeightsFileError';

  constructor(
    readonly path: string,
    problem: string,
    advice = 'the file is damaged or is not what its name says: fetch or save it again',
  ) {
    super([`Cannot read weights from ${path}`, `  ${problem}`, `  ${advice}`].join('\n'));
  }
}
