/** The error for a model that has no counterpart in ONNX, or that transformers.js could not run. */
export class OnnxExportError extends Error {
  override readonly name = 'OnnxExportError';

  constructor(
    readonly dir: string,
    problem: string,
  ) {
    super(`${dir} cannot be written as ONNX: ${problem}`);
  }
}
