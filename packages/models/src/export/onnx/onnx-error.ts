/** Thrown if a model has no counterpart in ONNX, or if transformers.js could not run it. */
export class OnnxExportError extends Error {
  override readonly name = 'OnnxExportError';

  constructor(
    readonly dir: string,
    problem: string,
  ) {
    super(`${dir} cannot be written as ONNX: ${problem}`);
  }
}
