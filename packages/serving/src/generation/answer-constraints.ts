// The constraints of answers, compiled for the model's tokens, once for equal requests.
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

/** The number of compiled constraints in the cache: an agent sends the same few again and again. */
const MOST_KEPT = 64;

export class AnswerConstraints {
  /** The compiler, made in steps when the first answer has a constraint, which takes seconds for a large vocabulary. */
  #compiler: Promise<ConstraintCompiler> | null = null;
  readonly #kept = new KeptConstraints(MOST_KEPT);

  /** Makes an empty cache. @param endIds tokens that end an answer @param excludedIds those that the model never writes */
  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly endIds: readonly number[],
    private readonly excludedIds: readonly number[],
  ) {}

  /**
   * Returns a constraint from the cache, or compiles it.
   *
   * @param key of all that the grammar is made of
   * @param make called where the cache has none of this key
   * @param param the field that asks for it
   */
  async compiled(key: string, make: () => Grammar | null, param: string): Promise<CompiledConstraint | null> {
    const known = this.#kept.get(key);
    if (known) return known;
    await turn(); // reading a schema and compiling it take up to some tenths of a second each: one runs at a time
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
