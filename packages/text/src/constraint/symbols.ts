// Converts grammars to symbols, the form that the automaton (machine.ts) uses.
import { ByteNodes, type ByteNode } from './byte-nodes.js';
import { spend } from './effort.js';
import { GrammarError } from './grammar-error.js';
import type { Grammar, Spelling } from './grammar.js';
import { RegularStates, type RegularState } from './regular.js';
import type { TokenVocabulary } from './token-vocabulary.js';
import { tokensOfText } from './spellable-units.js';

/**
 * `need` is the smallest number of tokens of a grammar's texts, estimated from single characters; infinite if the vocabulary
 * cannot spell any of them.
 */
export type Symbol = { readonly id: number; need: number } & (
  | { readonly kind: 'bytes'; readonly node: ByteNode }
  | { readonly kind: 'token'; readonly token: number }
  | { readonly kind: 'all'; readonly parts: readonly Symbol[] }
  | { readonly kind: 'any'; readonly parts: readonly Symbol[] }
  | { readonly kind: 'repeat'; readonly part: Symbol; readonly min: number; readonly max: number }
  | { readonly kind: 'regular'; readonly state: RegularState; readonly spelling: Spelling }
  | { readonly kind: 'rule'; body: Symbol; readonly isJson: boolean; readonly isDistinct: boolean }
);

const TOO_DEEP =
  'the grammar has too many parts within each other: an object of a schema may have about 1,000 properties that are not required, ' +
  'those of nested objects together';

const isOverflow = (error: unknown): boolean => error instanceof RangeError && /call stack/.test(error.message);

/** The largest number of states of a regular expression that are searched for a final one. */
const MAX_STATES = 20_000;

/** Makes the symbols of grammars; equal symbols are one object. */
export class Symbols {
  readonly regular = new RegularStates();
  readonly #nodes: ByteNodes;
  readonly #byGrammar = new Map<Grammar, Symbol>();
  readonly #byKey = new Map<string, Symbol>();
  /** All symbols, in the order in which they were made. */
  readonly #all: Symbol[] = [];
  readonly #regularNeeds = new Map<string, number>();

  constructor(private readonly vocabulary: TokenVocabulary) {
    this.#nodes = new ByteNodes(vocabulary.spellable);
  }

  get size(): number {
    return this.#all.length + this.regular.size + this.#nodes.size;
  }

  /** Returns the symbol of a grammar. @throws {GrammarError}; then the symbols made for this grammar are removed again */
  of(grammar: Grammar): Symbol {
    const before = this.#all.length;
    try {
      const symbol = this.#of(grammar);
      const added = this.#all.slice(before);
      settleNeeds(added);
      checkBeginnings(added);
      return symbol;
    } catch (error) {
      this.#forgetFrom(before);
      throw isOverflow(error) ? new GrammarError(TOO_DEEP) : error;
    }
  }

  #forgetFrom(count: number): void {
    this.#all.length = count;
    for (const known of [this.#byGrammar, this.#byKey])
      for (const [key, { id }] of known as Map<unknown, Symbol>) if (id >= count) known.delete(key as Grammar & string);
  }

  bytes(node: ByteNode): Symbol {
    return this.#made(`b${node.id}`, { kind: 'bytes', node }, node.need);
  }

  /** Makes a repetition. `part`: a symbol from `of`, whose need is known. */
  repeat(part: Symbol, min: number, max: number): Symbol {
    return this.#made(`${part.id}{${min},${max}}`, { kind: 'repeat', part, min, max }, repeatNeed(part, min));
  }

  regularSymbol(state: RegularState, spelling: Spelling): Symbol {
    const key = `${spelling[0]}${state.id}`;
    return (
      this.#byKey.get(key) ?? this.#made(key, { kind: 'regular', state, spelling }, this.#regularNeed(state, spelling))
    );
  }

  /** Lists how a regular expression may continue: a character of a class, and the symbol after it. */
  regularSteps(state: RegularState, spelling: Spelling): { node: ByteNode; rest: Symbol | null }[] {
    return this.regular.steps(state).flatMap(([ranges, next]) => {
      const rest = this.regular.isEmptyText(next) ? null : this.regularSymbol(next, spelling);
      return rest?.need === Infinity ? [] : [{ node: this.#nodes.ofClass(ranges, spelling), rest }];
    });
  }

  #of(grammar: Grammar): Symbol {
    const known = this.#byGrammar.get(grammar);
    if (known) return known;
    const symbol = this.#make(grammar);
    this.#byGrammar.set(grammar, symbol);
    return symbol;
  }

  #make(grammar: Grammar): Symbol {
    switch (grammar.kind) {
      case 'texts':
        return this.#texts(grammar.texts);
      case 'token':
        if (!this.vocabulary.has(grammar.id))
          throw new GrammarError(`token ${grammar.id} is not one that the model can generate`);
        return this.#made(`t${grammar.id}`, { kind: 'token', token: grammar.id }, 1);
      case 'characters':
        return this.bytes(this.#nodes.ofClass(grammar.ranges, 'plain'));
      case 'sequence':
        return this.#parts('all', grammar.parts);
      case 'either':
        return this.#parts('any', grammar.parts);
      case 'repeat': {
        const part = this.#of(grammar.part);
        return this.#made(
          `${part.id}{${grammar.min},${grammar.max}}`,
          { kind: 'repeat', part, min: grammar.min, max: grammar.max },
          Infinity,
        );
      }
      case 'regular':
        return this.regularSymbol(this.regular.of(grammar.expression), grammar.spelling);
      case 'rule': {
        const { isJson, isDistinct } = grammar;
        // The symbol is recorded before its body is made, since the body may contain it.
        const symbol = this.#add({ kind: 'rule', body: this.#parts('all', []), isJson, isDistinct }, Infinity);
        this.#byGrammar.set(grammar, symbol);
        if (symbol.kind === 'rule') symbol.body = this.#of(grammar.body());
        return symbol;
      }
    }
  }

  #parts(kind: 'all' | 'any', grammars: readonly Grammar[]): Symbol {
    spend(grammars.length);
    const parts = grammars.map((part) => this.#of(part));
    return this.#made(`${kind}${parts.map(({ id }) => id).join()}`, { kind, parts }, Infinity);
  }

  /** Makes the symbol for a choice of fixed texts: one tree of bytes, in which common prefixes are shared. */
  #texts(texts: readonly string[]): Symbol {
    spend(texts.reduce((sum, { length }) => sum + length, texts.length));
    const all = [...new Set(texts)].map((text) => Buffer.from(text)).sort((a, b) => Buffer.compare(a, b));
    const spelled = all.map((bytes) => ({ bytes, needs: tokensOfText(this.vocabulary.rest, bytes) }));
    const node = this.#nodes.ofTexts(spelled.filter(({ bytes }) => bytes.length > 0));
    const empty = all[0]?.length === 0 ? [this.#parts('all', [])] : [];
    const symbols = [...(node ? [this.bytes(node)] : []), ...empty];
    if (symbols.length === 1) return symbols[0];
    return this.#made(`any${symbols.map(({ id }) => id).join()}`, { kind: 'any', parts: symbols }, Infinity);
  }

  #made(key: string, symbol: SymbolForm, need: number): Symbol {
    let known = this.#byKey.get(key);
    if (!known) this.#byKey.set(key, (known = this.#add(symbol, need)));
    return known;
  }

  #add(form: SymbolForm, need: number): Symbol {
    spend(1);
    const symbol = { id: this.#all.length, need, ...form } as Symbol;
    this.#all.push(symbol);
    return symbol;
  }

  /**
   * The shortest path to a final state among all reachable states. An intersection may have no final state even if its parts have
   * one.
   *
   * @throws {GrammarError} if there are too many states
   */
  #regularNeed(state: RegularState, spelling: Spelling): number {
    const key = (each: RegularState) => `${spelling}${each.id}`;
    const known = this.#regularNeeds.get(key(state)) ?? this.#simpleNeed(state, spelling);
    if (known !== undefined) return known;
    const reached = new Set([state]);
    for (const each of reached) {
      for (const [, next] of this.regular.steps(each)) reached.add(next);
      if (reached.size > MAX_STATES)
        throw new GrammarError(
          `a pattern has more than ${MAX_STATES} states: bound its repetitions or make it simpler`,
        );
    }
    const needs = new Map([...reached].map((each) => [each, each.isNullable ? 0 : Infinity]));
    // Most states get their final value in the first pass: states found later are usually closer to the end and come first.
    const order = [...reached].reverse();
    for (let changed = true; changed;) {
      changed = false;
      spend(order.length);
      for (const each of order)
        for (const [ranges, next] of this.regular.steps(each)) {
          const need = this.#nodes.ofClass(ranges, spelling).need + needs.get(next)!;
          if (need < needs.get(each)!) changed = (needs.set(each, need), true);
        }
    }
    for (const [each, need] of needs) this.#regularNeeds.set(key(each), need);
    return needs.get(state)!;
  }

  /** From the needs of the parts; undefined for intersections and complements, for which this is not possible. */
  #simpleNeed(state: RegularState, spelling: Spelling): number | undefined {
    if (state.isNullable) return 0;
    const { form } = state;
    const of = (part: RegularState) => this.#simpleNeed(part, spelling);
    switch (form.kind) {
      case 'class':
        return this.#nodes.ofClass(form.ranges, spelling).need;
      case 'concat': {
        const [first, rest] = [of(form.first), of(form.rest)];
        return first === undefined || rest === undefined ? undefined : first + rest;
      }
      case 'or': {
        const needs = form.parts.map(of);
        return needs.includes(undefined)
          ? undefined
          : (needs as number[]).reduce((least, need) => Math.min(least, need), Infinity);
      }
      case 'repeat': {
        const need = of(form.part);
        return need === undefined ? undefined : need * form.min;
      }
      case 'nothing':
        return Infinity;
      default:
        return undefined;
    }
  }
}

type SymbolForm = Symbol extends infer Each ? (Each extends Symbol ? Omit<Each, 'id' | 'need'> : never) : never;

const repeatNeed = ({ need }: Symbol, min: number): number => (min === 0 ? 0 : min * need);

/** Rules may contain themselves, so the computation is repeated until nothing changes. Inner symbols come before outer ones. */
function settleNeeds(symbols: readonly Symbol[]): void {
  for (let changed = true; changed;) {
    changed = false;
    spend(symbols.length);
    for (const symbol of symbols) {
      const need = needOf(symbol);
      if (need !== symbol.need) [symbol.need, changed] = [need, true];
    }
  }
}

function needOf(symbol: Symbol): number {
  switch (symbol.kind) {
    case 'all':
      return symbol.parts.reduce((sum, { need }) => sum + need, 0);
    case 'any':
      return symbol.parts.reduce((least, { need }) => Math.min(least, need), Infinity);
    case 'repeat':
      return repeatNeed(symbol.part, symbol.min);
    case 'rule':
      return symbol.body.need;
    default:
      return symbol.need;
  }
}

/** Throws GrammarError for a rule that begins with itself, since expanding it would never end. */
function checkBeginnings(symbols: readonly Symbol[]): void {
  const done = new Set<Symbol>();
  const open = new Set<Symbol>();
  const visit = (symbol: Symbol) => {
    if (done.has(symbol)) return;
    if (open.has(symbol)) throw new GrammarError('a rule of the grammar begins with itself');
    open.add(symbol);
    for (const each of beginnings(symbol)) visit(each);
    open.delete(symbol);
    done.add(symbol);
  };
  for (const symbol of symbols) visit(symbol);
}

function beginnings(symbol: Symbol): readonly Symbol[] {
  switch (symbol.kind) {
    case 'all': {
      const solid = symbol.parts.findIndex(({ need }) => need > 0);
      return solid < 0 ? symbol.parts : symbol.parts.slice(0, solid + 1);
    }
    case 'any':
      return symbol.parts;
    case 'repeat':
      return [symbol.part];
    case 'rule':
      return [symbol.body];
    default:
      return [];
  }
}
