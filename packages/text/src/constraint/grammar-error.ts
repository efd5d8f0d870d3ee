/**
 * Thrown for a grammar that cannot be used: a rule that begins with itself, a token that is not in the vocabulary, no possible
 * text, too deep nesting, or too much work.
 */
export class GrammarError extends Error {
  override readonly name: string = 'GrammarError';
}

/** Thrown for a grammar without any text, whatever the vocabulary. */
export class EmptyGrammarError extends GrammarError {
  override readonly name = 'EmptyGrammarError';

  constructor() {
    super('the grammar has no texts: no answer can be valid');
  }
}
