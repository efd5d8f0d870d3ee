/**
 * The error for a grammar that cannot be used: a rule that begins with itself, a token that the vocabulary does not have, no text
 * at all, too many parts within each other, or more work than an answer's grammar may take.
 */
export class GrammarError extends Error {
  override readonly name: string = 'GrammarError';
}

/** The error for a grammar that has no texts at all, whatever the vocabulary. */
export class EmptyGrammarError extends GrammarError {
  override readonly name = 'EmptyGrammarError';

  constructor() {
    super('the grammar has no texts: no answer can be valid');
  }
}
