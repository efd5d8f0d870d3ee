// Declares the interface of constraints, which say at each sampling step which tokens may come next in an answer.

/** Follows one sampled answer through its grammar. */
export interface TokenConstraint {
  /**
   * Writes the mask of the tokens that may come next: token i is bit i % 32 of word ⌊i / 32⌋. End tokens are allowed exactly
   * where the text may end.
   *
   * @param mask at least ⌈vocabulary / 32⌉ words; all of them are written
   * @param budget the number of further tokens that the answer may have, including the end token: only tokens after which the
   * text can still end within it are allowed, if there are any
   * @returns false if only the end may follow
   * @throws {GrammarError} if it takes too much work
   */
  allowed(mask: Uint32Array, budget?: number): boolean;
  /** Appends a token. @throws {RangeError} for a token that the grammar does not allow here */
  accept(id: number): void;
  /** Whether the answer so far is a complete text of the grammar. */
  readonly canEnd: boolean;
  /** Whether the answer is complete and no further text may follow. */
  readonly mustEnd: boolean;
  clone(): TokenConstraint;
}
