// Compiles grammars to masks over a tokenizer's vocabulary for each sampling step.
import { DistinctNames, type NamedPlace } from './distinct-names.js';
import { Effort, effortLimits } from './effort.js';
import { EmptyGrammarError, GrammarError } from './grammar-error.js';
import type { Grammar } from './grammar.js';
import { hasTexts } from './has-texts.js';
import { hasRivals, outsideOfObjects } from './json/open-names.js';
import { Machine, type Place, type Thread } from './machine.js';
import type { TokenConstraint } from './token-constraint.js';
import { TokenMasks } from './token-masks.js';
import type { TokenTrie } from './token-trie.js';
import type { TokenVocabulary } from './token-vocabulary.js';

/** A compiled grammar. Each sampled answer gets its own constraint from `start`, which follows the answer token by token. */
export interface CompiledConstraint {
  /** The smallest number of tokens of an answer without its end token, estimated from single characters and fixed texts. */
  readonly leastTokens: number;
  /**
   * Whether the compiler has dropped the automaton states and masks that this grammar uses, so that new grammars no longer share
   * them. They stay in memory as long as this object does; a cache should compile the grammar again.
   */
  readonly isStale: boolean;
  start(): TokenConstraint;
}

export interface ConstraintCompilerOptions {
  /** Whether work is unlimited, for an answer whose work the server has already limited. False if not given. */
  unbounded?: boolean;
}

/** The states and symbols, of about 100 bytes each, beyond which later grammars no longer share those of earlier ones. */
const MAX_PARTS = 500_000;

/** The automaton and masks that the grammars of one compiler share: a rule that occurs in several grammars is compiled once. */
interface Compiled {
  readonly vocabulary: TokenVocabulary;
  readonly machine: Machine;
  /** The caches of token masks. There is one for the trie of an answer's first token and one for that of later tokens. */
  readonly masks: ReadonlyMap<TokenTrie, TokenMasks>;
  readonly names: ReadonlyMap<TokenTrie, DistinctNames>;
}

/** Compiles grammars for the vocabulary of one tokenizer. */
export class ConstraintCompiler {
  #compiled: Compiled;

  constructor(
    private readonly vocabulary: TokenVocabulary,
    private readonly options: ConstraintCompilerOptions = {},
  ) {
    this.#compiled = compiledFor(vocabulary);
  }

  /**
   * The caller may keep the result for further answers with the same grammar, until it is stale.
   *
   * @throws {GrammarError} if a rule begins with itself, a token is not in the vocabulary, the vocabulary cannot spell any text
   * of the grammar, or compiling takes too much work
   */
  compile(grammar: Grammar): CompiledConstraint {
    if (this.#compiled.machine.size > MAX_PARTS) this.#compiled = compiledFor(this.vocabulary);
    const compiled = this.#compiled;
    const { place, leastTokens } = this.#effort(effortLimits.compiling).within(() => startOf(grammar, compiled));
    const isStale = () => this.#compiled !== compiled;
    return {
      leastTokens,
      get isStale() {
        return isStale();
      },
      start: () =>
        new PlacedConstraint(
          compiled,
          { place, names: outsideOfObjects },
          () => this.#effort(effortLimits.token),
          this.#effort(effortLimits.answer),
        ),
    };
  }

  #effort(most: number): Effort {
    return new Effort(this.options.unbounded ? null : most);
  }
}

/** Returns the automaton's initial state (place), and the smallest number of tokens of its texts. @throws {GrammarError} */
function startOf(grammar: Grammar, compiled: Compiled): { place: Place; leastTokens: number } {
  const place = compiled.machine.start(grammar);
  const leastTokens = place && leastTokensFrom(place, compiled);
  if (place && leastTokens !== Infinity) return { place, leastTokens };
  throw hasTexts(grammar)
    ? new GrammarError(
        'no text of the grammar can be spelled with the tokens of the vocabulary, which lacks characters of all of them',
      )
    : new EmptyGrammarError();
}

function compiledFor(vocabulary: TokenVocabulary): Compiled {
  const machine = new Machine(vocabulary);
  const tries = [...new Set([vocabulary.first, vocabulary.rest])];
  return {
    vocabulary,
    machine,
    masks: new Map(tries.map((trie) => [trie, new TokenMasks(machine, trie)])),
    names: new Map(tries.map((trie) => [trie, new DistinctNames(machine, trie)])),
  };
}

/** Some texts can begin only with a token that differs at the beginning of an answer, so masks of first tokens are tried too. */
function leastTokensFrom(place: Place, { masks, vocabulary }: Compiled): number {
  return place.need < Infinity ? place.need : 1 + masks.get(vocabulary.first)!.leastNeed(place);
}

/** Increments of the token limit, tried in turn if within the limit a JSON object could only repeat a name. */
const FURTHER_TOKENS = [1, 2, 4, 8, 16, Infinity];

class PlacedConstraint implements TokenConstraint {
  constructor(
    private readonly compiled: Compiled,
    private at: NamedPlace,
    private readonly effortOfToken: () => Effort,
    private readonly effort: Effort,
    /** Whether no token with text has been accepted yet. */
    private isFirst = true,
  ) {}

  allowed(mask: Uint32Array, budget = Infinity): boolean {
    const { vocabulary } = this.compiled;
    // The budget must also cover the next token, the end token and, if a name of a JSON object may still equal an earlier one, a
    // token that makes it differ.
    const most = budget - 2 - Number(hasRivals(this.at.names));
    const hasTokens = this.#bounded(() => this.#write(mask, most));
    if (this.canEnd) for (const id of vocabulary.endIds) mask[id >>> 5] |= 1 << (id & 31);
    return hasTokens;
  }

  /**
   * Allows the tokens after which the text can end within `most` further tokens; if there are none, the limit is raised.
   *
   * @returns false if no token may follow
   */
  #write(mask: Uint32Array, most: number): boolean {
    const { masks, names } = this.compiled;
    for (const limit of [most, ...FURTHER_TOKENS.map((further) => Math.max(most, 0) + further)]) {
      mask.fill(0);
      if (!masks.get(this.#trie)!.write(this.at.place, mask, limit)) return false;
      names.get(this.#trie)!.leaveOutRepeated(this.at, mask);
      if (mask.some((word) => word !== 0)) return true;
    }
    return false;
  }

  accept(id: number): void {
    this.#bounded(() => this.#accept(id));
  }

  #bounded<Result>(work: () => Result): Result {
    return this.effort.within(() => this.effortOfToken().within(work));
  }

  #accept(id: number): void {
    const { machine } = this.compiled;
    // If the grammar names the token itself in this state, as it does special tokens, the token is accepted whatever its text.
    const named = machine.namedTokens(this.at.place).filter((each) => each.id === id);
    const bytes = this.#trie.bytes[id] ?? new Uint8Array(0);
    if (named.length === 0 && bytes.length === 0) throw this.#unexpected(id);
    const next = named.length > 0 ? this.#afterNamed(named.map(({ thread }) => thread)) : this.#after(bytes);
    if (!next) throw this.#unexpected(id);
    this.at = next;
    if (bytes.length > 0) this.isFirst = false;
  }

  get canEnd(): boolean {
    return this.at.place.ends;
  }

  get mustEnd(): boolean {
    return this.canEnd && this.at.place.threads.length === 0;
  }

  clone(): TokenConstraint {
    return new PlacedConstraint(this.compiled, this.at, this.effortOfToken, this.effort, this.isFirst);
  }

  get #trie(): TokenTrie {
    const { first, rest } = this.compiled.vocabulary;
    return this.isFirst ? first : rest;
  }

  #afterNamed(threads: readonly Thread[]): NamedPlace | null {
    const place = this.compiled.machine.place(threads);
    return place && { place, names: outsideOfObjects };
  }

  #after(bytes: Uint8Array): NamedPlace | null {
    const names = this.compiled.names.get(this.#trie)!;
    return bytes.reduce<NamedPlace | null>((at, byte) => at && names.after(at, byte), this.at);
  }

  #unexpected(id: number): RangeError {
    return new RangeError(`TokenConstraint.accept: the grammar does not allow token ${id} here`);
  }
}
