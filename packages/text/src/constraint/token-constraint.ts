// The tokens that may come next in one answer.

/** One answer's place in its grammar. */
export interface TokenConstraint {
  /**
   * Writes which tokens may come next: bit i % 32 of word ⌊i / 32⌋ is token i. End tokens are allowed exactly where the text may end.
   *
   * @param mask at least ⌈vocabulary / 32⌉ words; all of them are written
   * @param budget how many more tokens the answer may have, the end token included: only tokens after which the text can still be ended
   * within them are allowed, as long as there are any; without one, all that the grammar has
   * @returns false where nothing may follow but the end
   * @throws {GrammarError} where that takes too much work
   */
  allowed(mask: Uint32Array, budget?: number): boolean;
  /**
   * Appends a token.
   *
   * @throws {RangeError} of a token that the grammar does not allow here
   */
  accept(id: number): void;
  /** Whether the text is one of the grammar's. */
  readonly canEnd: boolean;
  /** Whether nothing but the end may follow. */
  readonly mustEnd: boolean;
  clone(): TokenConstraint;
}
