// Checks that a tokenizer belongs to a model by comparing its number of tokens with the number of rows of the model's embedding.

class VocabularyError extends RangeError {
  override readonly name = 'VocabularyError';

  /** @param source the model's directory, or a description of what creates the model, for the message */
  constructor(
    readonly source: string,
    readonly tokens: number,
    readonly rows: number,
  ) {
    super(
      [
        `${source}: the tokenizer has ${tokens} tokens, the model's vocab_size is ${rows}`,
        tokens > rows
          ? `  expected at least ${tokens} rows in the token embedding: ids from ${rows} on have no row`
          : `  expected ${rows - spareRows(rows)} to ${rows} tokens: more rows without a token than rounding up explains`,
        '  they do not belong together: put the tokenizer.json of this model in the directory of its config.json',
      ].join('\n'),
    );
  }
}

/**
 * Returns how many rows an embedding with `rows` rows may have beyond the number of the tokenizer's tokens. Such rows are common,
 * since embeddings are rounded up for GPUs to a multiple of 128 (Pythia, T5), or have reserved rows (Phi-2 has 905 unused rows of
 * 51,200, DeepSeek 2,385 of 102,400). More than a twentieth suggests that the tokenizer belongs to another model.
 */
const spareRows = (rows: number): number => Math.max(127, Math.floor(rows / 20));

/** Throws VocabularyError if the tokenizer's number of tokens does not fit the embedding's number of rows. */
export function checkVocabulary(tokens: number, rows: number, source: string): void {
  if (tokens > rows || rows - tokens > spareRows(rows)) throw new VocabularyError(source, tokens, rows);
}
