/** Thrown if a model, an adapter or a tokenizer has something that a GGUF file cannot express; nothing has been written then. */
export class GgufError extends Error {
  override readonly name = 'GgufError';

  /** @param source the folder of the model */
  constructor(
    readonly source: string,
    readonly problem: string,
    advice = 'docs/models/export.md lists what can be written; task.format=hf writes every model',
  ) {
    super([`Cannot write ${source} as GGUF`, `  ${problem}`, `  ${advice}`].join('\n'));
  }
}
