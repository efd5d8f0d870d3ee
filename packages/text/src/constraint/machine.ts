// Builds the automaton of a grammar. Its states, called places, are made once, when first reached, so that their token masks can
// be cached.
//
// A place is a set of threads. A thread is a local state (a set of items within one rule) on top of a frame: the state in which
// to continue after the rule, and the frame below it. An item is a list of the remaining symbols of a rule's body.
import { spend } from './effort.js';
import type { Grammar } from './grammar.js';
import type { RegularState } from './regular.js';
import type { Symbol } from './symbols.js';
import { Symbols } from './symbols.js';
import type { TokenVocabulary } from './token-vocabulary.js';

/** The remaining symbols of a rule's body; null is the end. `need` is the smallest number of tokens that they need. */
export type Item = { readonly id: number; readonly head: Symbol; readonly tail: Item | null; readonly need: number };

type BytesItem = Item & { head: { kind: 'bytes' } };
type TokenItem = Item & { head: { kind: 'token' } };
type RuleSymbol = Symbol & { kind: 'rule' };

/** The symbols that may come first in a local state (a position within a rule). */
interface Beginnings {
  readonly bytes: readonly BytesItem[];
  readonly tokens: readonly TokenItem[];
  /** The rules that may begin in this state, and the local state after each of them. */
  readonly calls: readonly (readonly [rule: RuleSymbol, after: LocalState])[];
  /** Whether the enclosing rule may end in this state. */
  readonly ends: boolean;
}

/** A local state of the automaton: a set of items within one rule. */
export interface LocalState {
  readonly id: number;
  readonly items: readonly (Item | null)[];
  /** The smallest number of tokens from this state to the end of the rule. */
  readonly need: number;
  beginnings: Beginnings | null;
  /** [256] the next local state by byte; null if there is none, undefined if it has not been computed yet. */
  readonly next: (LocalState | null | undefined)[];
}

/**
 * The local state in which to continue after a rule, and the entry below it. Null is the end of the text, or of the rule whose
 * masks are being computed.
 */
export type Frame = {
  readonly id: number;
  readonly after: LocalState;
  readonly below: Frame | null;
  readonly need: number;
  /** Whether the rule on top of this frame is inside a JSON text whose objects have unique names. */
  readonly isJson: boolean;
  /** Whether the rule on top of this frame is an array of distinct strings. */
  readonly isDistinct: boolean;
} | null;

export type Thread = readonly [local: LocalState, frame: Frame];

/** A state of the automaton: a set of threads, and what can follow them. */
export interface Place {
  readonly id: number;
  /** The threads whose next step is a byte or a named token; threads that only begin or end rules have been expanded. */
  readonly threads: readonly Thread[];
  /** Whether the text may end in this state. */
  readonly ends: boolean;
  /** The smallest number of tokens from this state to the end of a text; infinite if the vocabulary cannot spell one. */
  readonly need: number;
  /** [256] the next place by byte; null if there is none, undefined if not computed yet. */
  readonly next: (Place | null | undefined)[];
}

/** A local state that begins with a bounded repetition: `min` to `max` more characters of a class. */
export interface CountedState {
  readonly item: Item & { head: { kind: 'regular' } };
  readonly part: RegularState;
  readonly min: number;
  readonly max: number;
}

function countedItem(item: Item): CountedState | null {
  const { head } = item;
  if (head.kind !== 'regular' || head.state.form.kind !== 'repeat') return null;
  const { part, min, max } = head.state.form;
  return part.form.kind === 'class' ? { item: item as CountedState['item'], part, min, max } : null;
}

const needOf = (frame: Frame): number => frame?.need ?? 0;

export class Machine {
  readonly #symbols: Symbols;
  readonly #items = new Map<string, Item>();
  readonly #locals = new Map<string, LocalState>();
  readonly #frames = new Map<string, NonNullable<Frame>>();
  readonly #places = new Map<string, Place>();
  readonly #ruleStarts = new Map<RuleSymbol, LocalState>();

  constructor(vocabulary: TokenVocabulary) {
    this.#symbols = new Symbols(vocabulary);
  }

  /** Counts the symbols and states that have been made, which all stay in memory. */
  get size(): number {
    return this.#symbols.size + this.#items.size + this.#locals.size + this.#frames.size + this.#places.size;
  }

  /** The initial place (state) of a grammar's automaton. @throws {GrammarError} */
  start(grammar: Grammar): Place {
    const symbol = this.#symbols.of(grammar);
    return this.place([[this.#local([this.#item(symbol, null)]), null]])!;
  }

  /** Returns the place (state) that consists of these threads. Null if no thread remains. */
  place(threads: readonly Thread[]): Place | null {
    const seen = new Set<string>();
    const own: Thread[] = [];
    let [ends, need] = [false, Infinity];
    const add = (local: LocalState, frame: Frame): void => {
      const key = `${local.id}:${frame?.id ?? ''}`;
      if (seen.has(key)) return;
      seen.add(key);
      spend(1);
      need = Math.min(need, local.need + needOf(frame));
      const { bytes, tokens, calls, ends: localEnds } = this.beginnings(local);
      if (bytes.length + tokens.length > 0) own.push([local, frame]);
      for (const [rule, after] of calls) {
        const isSame = isEnd(after) && !rule.isDistinct && (!rule.isJson || frame?.isJson);
        add(this.#ruleStart(rule), isSame ? frame : this.#frame(after, frame, rule));
      }
      if (!localEnds) return;
      if (frame) add(frame.after, frame.below);
      else ends = true;
    };
    for (const [local, frame] of threads) add(local, frame);
    if (own.length === 0 && !ends) return null;
    return this.#place(own, ends, need);
  }

  /** Returns the place (state) after one more byte; null if the grammar does not allow the byte. */
  next(place: Place, byte: number): Place | null {
    let next = place.next[byte];
    if (next !== undefined) return next;
    const threads: Thread[] = [];
    for (const [local, frame] of place.threads) {
      const after = this.nextLocal(local, byte);
      if (after) threads.push([after, frame]);
    }
    next = threads.length === 0 ? null : this.place(threads);
    place.next[byte] = next;
    return next;
  }

  nextLocal(local: LocalState, byte: number): LocalState | null {
    let next = local.next[byte];
    if (next !== undefined) return next;
    const items: (Item | null)[] = [];
    const { bytes } = this.beginnings(local);
    spend(bytes.length);
    for (const { head, tail } of bytes)
      for (const edge of head.node.edges)
        if (edge.from <= byte && byte <= edge.to)
          items.push(edge.next ? this.#item(this.#symbols.bytes(edge.next), tail) : tail);
    next = items.length === 0 ? null : this.#local(items);
    local.next[byte] = next;
    return next;
  }

  /** Lists the special tokens that the grammar names at this place, and the thread after each. */
  namedTokens(place: Place): { id: number; thread: Thread }[] {
    return place.threads.flatMap(([local, frame]) =>
      this.beginnings(local).tokens.map(({ head, tail }) => ({
        id: head.token,
        thread: [this.#local([tail]), frame] as const,
      })),
    );
  }

  /** For a local state that begins with a bounded repetition of a class of characters; null for others. */
  counted(local: LocalState): CountedState | null {
    const [item] = local.items;
    return local.items.length === 1 && item ? countedItem(item) : null;
  }

  recounted({ item, part }: CountedState, min: number, max: number): LocalState {
    const { spelling } = item.head;
    const state = this.#symbols.regular.repeat(part, min, max);
    return this.#local([this.#item(this.#symbols.regularSymbol(state, spelling), item.tail)]);
  }

  /**
   * How many more characters the repetition allows, after a character that may have begun; null if it has ended, undefined if the
   * threads disagree.
   */
  countAt(place: Place, { item, part }: CountedState): number | null | undefined {
    const counts = place.threads.map(([{ items }]) => {
      const counts = items.map((each) => {
        const own = each && (countedItem(each) ?? (each.head.kind === 'bytes' && each.tail && countedItem(each.tail)));
        return own && own.part === part && own.item.tail === item.tail ? own.max : null;
      });
      return counts.every((count) => count === counts[0]) ? counts[0] : undefined;
    });
    return counts.length === 0 ? null : counts.every((count) => count === counts[0]) ? counts[0] : undefined;
  }

  beginnings(local: LocalState): Beginnings {
    return (local.beginnings ??= this.#beginnings(local));
  }

  #beginnings({ items }: LocalState): Beginnings {
    const bytes: BytesItem[] = [];
    const tokens: TokenItem[] = [];
    const calls = new Map<RuleSymbol, (Item | null)[]>();
    const seen = new Set<Item | null>();
    const expand = (item: Item | null): void => {
      if (seen.has(item)) return;
      seen.add(item);
      spend(1);
      if (!item) return;
      const { head, tail } = item;
      switch (head.kind) {
        case 'bytes':
          bytes.push(item as BytesItem);
          break;
        case 'token':
          tokens.push(item as TokenItem);
          break;
        case 'rule':
          if (!calls.has(head)) calls.set(head, []);
          calls.get(head)!.push(tail);
          break;
        default:
          for (const each of this.#expansions(head, tail)) expand(each);
      }
    };
    items.forEach(expand);
    return {
      bytes,
      tokens,
      calls: [...calls].map(([rule, tails]) => [rule, this.#local(tails)] as const),
      ends: seen.has(null),
    };
  }

  #expansions(head: Symbol, tail: Item | null): (Item | null)[] {
    switch (head.kind) {
      case 'all':
        return [head.parts.reduceRight<Item | null>((rest, part) => this.#item(part, rest), tail)];
      case 'any':
        return head.parts.map((part) => this.#item(part, tail));
      case 'repeat': {
        const { part, min, max } = head;
        if (max === 0) return [tail];
        const rest = max === 1 ? tail : this.#item(this.#symbols.repeat(part, Math.max(0, min - 1), max - 1), tail);
        return [this.#item(part, rest), ...(min === 0 ? [tail] : [])];
      }
      case 'regular': {
        const { state, spelling } = head;
        const steps = this.#symbols.regularSteps(state, spelling).map(({ node, rest }) => {
          const after = rest ? this.#item(rest, tail) : tail;
          return this.#item(this.#symbols.bytes(node), after);
        });
        return state.isNullable ? [...steps, tail] : steps;
      }
      default:
        return [];
    }
  }

  #ruleStart(rule: RuleSymbol): LocalState {
    let start = this.#ruleStarts.get(rule);
    if (!start) this.#ruleStarts.set(rule, (start = this.#local([this.#item(rule.body, null)])));
    return start;
  }

  #item(head: Symbol, tail: Item | null): Item {
    spend(1);
    const key = `${head.id},${tail?.id ?? ''}`;
    let item = this.#items.get(key);
    if (!item) this.#items.set(key, (item = { id: this.#items.size, head, tail, need: head.need + (tail?.need ?? 0) }));
    return item;
  }

  #local(given: readonly (Item | null)[]): LocalState {
    spend(given.length);
    const items = [...new Set(given)].sort((a, b) => (a?.id ?? -1) - (b?.id ?? -1));
    const key = items.map((item) => item?.id ?? 'e').join();
    let local = this.#locals.get(key);
    if (!local) {
      const need = items.reduce((least, item) => Math.min(least, item?.need ?? 0), Infinity);
      this.#locals.set(key, (local = { id: this.#locals.size, items, need, beginnings: null, next: [] }));
    }
    return local;
  }

  #frame(after: LocalState, below: Frame, rule: RuleSymbol): NonNullable<Frame> {
    const { isDistinct } = rule;
    const isJson = rule.isJson || (below?.isJson ?? false);
    const key = `${after.id},${below?.id ?? ''},${isJson},${isDistinct}`;
    let frame = this.#frames.get(key);
    if (!frame) {
      frame = { id: this.#frames.size, after, below, need: after.need + needOf(below), isJson, isDistinct };
      this.#frames.set(key, frame);
    }
    return frame;
  }

  #place(threads: readonly Thread[], ends: boolean, need: number): Place {
    spend(1 + threads.length);
    const key = `${threads.map(([local, frame]) => `${local.id}:${frame?.id ?? ''}`).join()}${ends ? 'e' : ''}`;
    let place = this.#places.get(key);
    if (!place) this.#places.set(key, (place = { id: this.#places.size, threads, ends, need, next: [] }));
    return place;
  }
}

const isEnd = ({ items }: LocalState): boolean => items.length === 1 && items[0] === null;
