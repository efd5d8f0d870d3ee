// Grammars of answers, compiled for the model's tokens: once for requests that are alike.
import {
  ConstraintCompiler,
  GrammarError,
  TokenVocabulary,
  type CompiledConstraint,
  type Grammar,
  type Tokenizer,
} from '@bowyer/text';
import { inTurns } from '../http/turn.js';
import { BadRequestError } from './request-error.js';

/** Grammars that are kept: an agent sends the same few again and again. */
const MOST_KEPT = 64;

export class AnswerConstraints {
  /** Made in turns when the first answer has a constraint: it takes seconds for a large vocabulary. */
  #compiler: Promise<ConstraintCompiler> | null = null;
  readonly #kept = new Map<string, CompiledConstraint>();

  /** @param endIds tokens that end an answer; @param excludedIds those that the model never writes */
  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly endIds: readonly number[],
    private readonly excludedIds: readonly number[],
  ) {}

  /**
   * @param key of all that the grammar is made of
   * @param make called where there is none of this key
   * @param param the field that asks for it
   */
  async compiled(key: string, make: () => Grammar | null, param: string): Promise<CompiledConstraint | null> {
    const known = this.#kept.get(key);
    const grammar = known ? null : make();
    if (!known && grammar === null) return null;
    const compiled = known ?? (await this.#compile(grammar!, param));
    this.#kept.delete(key); // it becomes the newest
    this.#kept.set(key, compiled);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return compiled;
  }

  async #compile(grammar: Grammar, param: string): Promise<CompiledConstraint> {
    try {
      const { tokenizer, endIds, excludedIds } = this;
      this.#compiler ??= inTurns(TokenVocabulary.inSteps(tokenizer, { endIds, excludedIds })).then(
        (vocabulary) => new ConstraintCompiler(vocabulary),
      );
      return (await this.#compiler).compile(grammar);
    } catch (error) {
      const isOurs = error instanceof GrammarError || error instanceof RangeError;
      throw isOurs
        ? new BadRequestError(`this model's answers cannot be guaranteed: ${error.message}`, param, 'unsupported')
        : error;
    }
  }
}
