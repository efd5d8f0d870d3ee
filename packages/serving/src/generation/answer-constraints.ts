// Compiles grammars of answers (constrained decoding) to token masks for the vocabulary, and caches them for later requests.
import {
  ConstraintCompiler,
  EmptyGrammarError,
  GrammarError,
  TokenVocabulary,
  type CompiledConstraint,
  type Grammar,
  type Tokenizer,
} from '@bowyer/text';
import { inTurns, turn } from '../http/turn.js';
import { KeptConstraints } from './kept-constraints.js';
import { BadRequestError } from './request-error.js';

/** An agent sends the same few constraints with all of its requests. */
const MOST_KEPT = 64;

export class AnswerConstraints {
  /** Made in steps for the first request with a constraint, since this takes seconds for a large vocabulary. */
  #compiler: Promise<ConstraintCompiler> | null = null;
  readonly #kept = new KeptConstraints(MOST_KEPT);

  /** @param endIds tokens that end an answer @param excludedIds tokens that the model never generates */
  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly endIds: readonly number[],
    private readonly excludedIds: readonly number[],
  ) {}

  /**
   * @param key identifies everything that the grammar depends on
   * @param make called if the cache does not have it
   * @param param the request's field with the constraint, for error messages
   */
  async compiled(key: string, make: () => Grammar | null, param: string): Promise<CompiledConstraint | null> {
    const known = this.#kept.get(key);
    if (known) return known;
    await turn(); // reading a schema and compiling it can each take some tenths of a second, so only one runs at a time
    const grammar = make();
    if (grammar === null) return null;
    const compiled = await this.#compile(grammar, param);
    this.#kept.add(key, compiled);
    return compiled;
  }

  async #compile(grammar: Grammar, param: string): Promise<CompiledConstraint> {
    try {
      const { tokenizer, endIds, excludedIds } = this;
      this.#compiler ??= inTurns(TokenVocabulary.inSteps(tokenizer, { endIds, excludedIds })).then(
        (vocabulary) => new ConstraintCompiler(vocabulary),
      );
      const compiler = await this.#compiler;
      await turn();
      return compiler.compile(grammar);
    } catch (error) {
      if (error instanceof EmptyGrammarError)
        throw new BadRequestError(
          `'${param}': no text is valid by it; a schema in it contradicts itself`,
          param,
          'unsupported',
        );
      const isOurs = error instanceof GrammarError || error instanceof RangeError;
      throw isOurs
        ? new BadRequestError(`this model's answers cannot be guaranteed: ${error.message}`, param, 'unsupported')
        : error;
    }
  }
}
