// Computes again, for training, the token masks with which recorded answers were sampled: it compiles the constraints of the
// answers, and advances them over the sampled tokens.
import type { TokenMask } from '@bowyer/core';
import { ConstraintCompiler, TokenVocabulary, type CompiledConstraint } from '@bowyer/text';
import { nextTokenMask } from '../engine/next-token-mask.js';
import { answerEnds, type AnswerEnds } from './answer-ends.js';
import { constraintOfKey } from './grammar-key.js';
import { KeptConstraints } from './kept-constraints.js';
import { MaskPool } from './mask-pool.js';
import { withinBudget } from './reasoning-budget.js';

/** The fields of a recorded answer that determine its masks. */
export interface MaskedAnswer {
  /** The key of the answer's constraint (grammar-key.ts). */
  constraint: string;
  /** The sampled tokens, with the terminator. */
  ids: readonly number[];
  /** Whether the last of `ids` is the terminator. */
  terminated: boolean;
  /** The token limit, with the terminator. Near it, a constraint allows only texts that can still be completed. */
  maxTokens: number;
  /** Ids of terminators for this answer, in addition to those of every answer. */
  stopIds: readonly number[];
}

const MOST_KEPT = 256;

/** Computes token masks for the answers of one model. It caches compiled constraints, and masks that several answers share. */
export class RecordedMasks {
  readonly #terminatorIds: readonly number[];
  readonly #kept = new KeptConstraints(MOST_KEPT);
  readonly #pool = new MaskPool();
  /** The compiler. It is made for the first answer, since making it takes seconds for a large vocabulary. */
  #compiler: ConstraintCompiler | null = null;

  /** @param served the model, its chat template, and further terminators that the server had */
  constructor(private readonly served: AnswerEnds) {
    this.#terminatorIds = answerEnds(served);
  }

  /**
   * Returns the mask of each sampled token, [ids]. Equal masks are the same array, even across answers.
   *
   * @throws {RangeError} where the constraint does not allow the tokens, because the model, tokenizer or template differs
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
      { unbounded: true }, // the server bounded this work when the answer was sampled
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
