// The masks that recorded answers were sampled under: their constraints are compiled again, and go over the tokens once more.
import type { TokenMask } from '@bowyer/core';
import { ConstraintCompiler, TokenVocabulary, type CompiledConstraint } from '@bowyer/text';
import { nextTokenMask } from '../engine/next-token-mask.js';
import { answerEnds, type AnswerEnds } from './answer-ends.js';
import { constraintOfKey } from './grammar-key.js';
import { KeptConstraints } from './kept-constraints.js';
import { MaskPool } from './mask-pool.js';
import { withinBudget } from './reasoning-budget.js';

/** A recorded answer, as far as its masks depend on it. */
export interface MaskedAnswer {
  /** The source of its constraint, as it was recorded. */
  constraint: string;
  /** As sampled, with the token that ended it. */
  ids: readonly number[];
  /** Whether the last of `ids` ended it. */
  terminated: boolean;
  /** The most tokens that it could have, the one that ends it included: near the end a constraint allows only what can still be finished. */
  maxTokens: number;
  /** Tokens that could end it besides those that end every answer. */
  stopIds: readonly number[];
}

/** Grammars that are kept. */
const MOST_KEPT = 256;

/** The masks of one model. Compiled constraints, and the masks that answers have in common, are kept. */
export class RecordedMasks {
  readonly #terminatorIds: readonly number[];
  readonly #kept = new KeptConstraints(MOST_KEPT);
  readonly #pool = new MaskPool();
  /** Made for the first answer: it takes seconds for a large vocabulary. */
  #compiler: ConstraintCompiler | null = null;

  /** @param served the model, its template and further terminators as they were served */
  constructor(private readonly served: AnswerEnds) {
    this.#terminatorIds = answerEnds(served);
  }

  /**
   * Returns the tokens among which each token of an answer was chosen. Equal masks are one array, of other answers too.
   *
   * @returns [ids]
   * @throws {RangeError} where the constraint does not allow the tokens: model, tokenizer or template are not those that were served
   */
  masksOf({ constraint, ids, terminated, maxTokens, stopIds }: MaskedAnswer): TokenMask[] {
    const place = this.#compiled(constraint).start();
    const terminatorIds = [...new Set([...this.#terminatorIds, ...stopIds])];
    const { vocabSize } = this.served.model.tokenizer;
    return ids.map((id, t) => {
      const mask = nextTokenMask(place, { left: maxTokens - t, terminatorIds, vocabSize });
      if (t < ids.length - 1 || !terminated) place.accept(id);
      return this.#pool.same(mask);
    });
  }

  #compiled(constraint: string): CompiledConstraint {
    const known = this.#kept.get(constraint);
    if (known) return known;
    const compiled = this.#compile(constraint);
    this.#kept.add(constraint, compiled);
    return compiled;
  }

  #compile(constraint: string): CompiledConstraint {
    const { tokenizer, maskedTokenIds } = this.served.model;
    this.#compiler ??= new ConstraintCompiler(
      new TokenVocabulary(tokenizer, { endIds: this.#terminatorIds, excludedIds: maskedTokenIds }),
      { unbounded: true }, // the server has bounded what it took
    );
    const { grammar, parts, reasoningBudget: tokens } = constraintOfKey(constraint, { tokenizer });
    const compiled = grammar && this.#compiler.compile(grammar);
    const whole =
      tokens === null || parts === null ? compiled : withinBudget(compiled, { place: parts, tokens, tokenizer });
    if (whole === null)
      throw new RangeError(`the constraint ${constraint} bounds a reasoning that this model has no form of`);
    return whole;
  }
}
