/** The error for what a GGUF file cannot express of a model, an adapter or a tokenizer; nothing has been written. */
export class GgufError extends Error {
  override readonly name = 'GgufError';

  /** @param source the folder of the model */
  constructor(
    readonly source: string,
    readonly problem: string,
    advice = 'docs/models/export.md lists what can be written; format=hf writes every model',
  ) {
    super([`Cannot write ${source} as GGUF`, `  ${problem}`, `  ${advice}`].join('\n'));
  }
}
