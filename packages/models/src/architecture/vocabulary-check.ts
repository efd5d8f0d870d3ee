// Whether a tokenizer and a model's word table belong together, judged by their sizes.

/** The error for a tokenizer whose ids do not fit a model's vocab_size. */
class VocabularyError extends RangeError {
  override readonly name = 'VocabularyError';

  /** Describes the mismatch. @param source directory of the model, or what makes it */
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
 * Returns how many rows without a token are accepted. They are common, since tables are rounded up to please a GPU: to a multiple of
 * 128 (Pythia, T5), or with some reserve (Phi-2 has 905 of 51,200, DeepSeek 2,385 of 102,400). More than a twentieth are another
 * tokenizer's.
 */
const spareRows = (rows: number): number => Math.max(127, Math.floor(rows / 20));

export function checkVocabulary(tokens: number, rows: number, source: string): void {
  if (tokens > rows || rows - tokens > spareRows(rows)) throw new VocabularyError(source, tokens, rows);
}
