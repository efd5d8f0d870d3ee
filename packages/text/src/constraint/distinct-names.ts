// Removes tokens that would give a JSON object the same name twice, or an array of distinct strings the same string; a finite
// automaton can detect neither.
import { spend } from './effort.js';
import { afterByte, hasRivals, outsideOfObjects, type OpenNames } from './json/open-names.js';
import type { Machine, Place } from './machine.js';
import type { TokenTrie } from './token-trie.js';

/** The automaton's state (place) of an answer, and the names that the open objects of its JSON text have so far. */
export interface NamedPlace {
  readonly place: Place;
  readonly names: OpenNames;
}

/** The number of names whose comparison counts as one step of work (see effort.ts). */
const NAMES_PER_STEP = 32;

const COMMA = 0x2c;
const QUOTE = 0x22;

export class DistinctNames {
  /** The tokens that contain a comma, after which another name may begin, and those that end a string before it. */
  readonly #commas: readonly number[];
  readonly #commasBehindStrings: readonly number[];

  constructor(
    private readonly machine: Machine,
    private readonly trie: TokenTrie,
  ) {
    const ids = [...trie.bytes.keys()];
    this.#commas = ids.filter((id) => trie.bytes[id].includes(COMMA));
    this.#commasBehindStrings = this.#commas.filter((id) => {
      const quote = trie.bytes[id].indexOf(QUOTE);
      return quote >= 0 && trie.bytes[id].includes(COMMA, quote);
    });
  }

  /** Null if the grammar does not allow the byte, or an object would have a name twice. */
  after({ place, names }: NamedPlace, byte: number): NamedPlace | null {
    const next = this.machine.next(place, byte);
    if (!next) return null;
    const reading = place.threads.filter(([local, frame]) => frame?.isJson && this.machine.nextLocal(local, byte));
    const isDistinct = reading.some(([, frame]) => frame!.isDistinct);
    const read = reading.length > 0 ? afterByte(names, byte, isDistinct) : outsideOfObjects;
    return read && { place: next, names: read };
  }

  /** Clears the bits of tokens that complete a name which the object already has, or begin one that cannot become any other name. */
  leaveOutRepeated(from: NamedPlace, mask: Uint32Array): void {
    if (!from.place.threads.some(([, frame]) => frame?.isJson)) return;
    const isInString = ['name', 'string', 'escape'].includes(from.names.at);
    for (const id of isInString ? this.#commasBehindStrings : this.#commas)
      if (has(mask, id) && !this.#isDistinctAfter(from, this.trie.bytes[id])) clear(mask, id);
    if (hasRivals(from.names)) this.#leaveOutRivals(from, mask);
  }

  #isDistinctAfter(from: NamedPlace, bytes: Uint8Array): boolean {
    spend(1);
    let at: NamedPlace | null = from;
    for (const byte of bytes) if (!(at = this.after(at, byte))) return false;
    return this.#hasFurtherName(at);
  }

  /** Visits only prefixes of names that the object has, since every other token leads to a new name. */
  #leaveOutRivals(from: NamedPlace, mask: Uint32Array): void {
    const { byte, depth, end } = this.trie;
    const path = [from];
    for (let node = 1; node < end[0];) {
      const next = this.#afterRival(path[depth[node] - 1], byte[node]);
      if (!next) {
        if (next === null) for (let below = node; below < end[node]; below++) this.#clearAt(below, mask);
        node = end[node];
        continue;
      }
      path[depth[node]] = next;
      if (this.trie.token[node] >= 0 && !this.#hasFurtherName(next)) this.#clearAt(node, mask);
      node++;
    }
  }

  /**
   * Advances while the name may still equal one that the object has.
   *
   * @returns undefined if the grammar does not allow the byte, or the name can no longer equal another; null if it repeats a name
   */
  #afterRival(from: NamedPlace, byte: number): NamedPlace | null | undefined {
    if (!this.machine.next(from.place, byte)) return undefined;
    this.#spendOn(from.names);
    const next = this.after(from, byte);
    return next && !hasRivals(next.names) ? undefined : next;
  }

  #spendOn(names: OpenNames): void {
    spend(1 + (names.at === 'name' ? Math.floor(names.rivals.length / NAMES_PER_STEP) : 0));
  }

  #clearAt(node: number, mask: Uint32Array): void {
    for (const id of this.trie.tokensAt(node)) clear(mask, id);
  }

  /** If the grammar requires a name next, there must be one that the object does not have yet. */
  #hasFurtherName(from: NamedPlace, seen = new Set<string>()): boolean {
    const { names } = from;
    if (!hasRivals(names)) return true;
    const key = `${from.place.id} ${names.at === 'name' ? `${names.escape} ${names.text}` : ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    for (let byte = 0; byte < 256; byte++) {
      const place = this.machine.next(from.place, byte);
      if (!place || place.need === Infinity) continue;
      this.#spendOn(names);
      const next = this.after(from, byte);
      if (next && this.#hasFurtherName(next, seen)) return true;
    }
    return false;
  }
}

const has = (mask: Uint32Array, id: number): boolean => (mask[id >>> 5] & (1 << (id & 31))) !== 0;

function clear(mask: Uint32Array, id: number): void {
  mask[id >>> 5] &= ~(1 << (id & 31));
}
