// Makes automata over bytes that match single characters or fixed texts, in UTF-8 or as escaped in a JSON string.
import { intersectionOf, type CodePointRanges } from './code-points.js';
import { spend } from './effort.js';
import type { Spelling } from './grammar.js';

export interface ByteNode {
  readonly id: number;
  /** `next` is null at the end of the character or text. Byte ranges are disjoint, unless one text is a prefix of another. */
  readonly edges: readonly ByteEdge[];
  /** The smallest number of tokens that complete the character or text from this state; infinite if the vocabulary cannot. */
  readonly need: number;
}

interface ByteEdge {
  readonly from: number;
  readonly to: number;
  readonly next: ByteNode | null;
}

export interface SpellableUnits {
  /** [256] whether a token consists of this byte. */
  readonly bytes: readonly boolean[];
  /** Characters that are single tokens. */
  readonly characters: CodePointRanges;
}

/** A text as bytes, and from each byte the smallest number of tokens that spell the text to its end. */
interface SpelledText {
  readonly bytes: Uint8Array;
  readonly needs: readonly number[];
}

/** The number of ranges of a character class that count as one step of work (see effort.ts). */
const RANGES_PER_STEP = 8;

const SHORT_ESCAPES = [
  ['b', 0x08],
  ['t', 0x09],
  ['n', 0x0a],
  ['f', 0x0c],
  ['r', 0x0d],
  ['"', 0x22],
  ['\\', 0x5c],
] as const;

/** The characters that a JSON string may contain unescaped: all except control characters, the quotation mark and the backslash. */
const RAW_IN_JSON: CodePointRanges = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0x10ffff],
];

/**
 * Characters that may be written as `\uXXXX`: control characters, and all non-ASCII ones of the basic plane except surrogates.
 */
const ESCAPED_IN_JSON: CodePointRanges = [
  [0x00, 0x1f],
  [0x7f, 0xd7ff],
  [0xe000, 0xffff],
];

const BACKSLASH = 0x5c;

/** States with the same transitions are one object. */
export class ByteNodes {
  readonly #nodes = new Map<string, ByteNode>();
  readonly #classes = new Map<string, ByteNode>();

  constructor(private readonly spellable: SpellableUnits) {}

  get size(): number {
    return this.#nodes.size;
  }

  /** Returns the state from which any one character of a class is read. */
  ofClass(ranges: CodePointRanges, spelling: Spelling): ByteNode {
    spend(Math.ceil(ranges.length / RANGES_PER_STEP));
    const key = `${spelling} ${ranges.join()}`;
    let node = this.#classes.get(key);
    if (!node) this.#classes.set(key, (node = this.#ofClass(ranges, spelling)));
    return node;
  }

  /** Null if there are no texts, which must be distinct, not empty, and sorted by bytes. */
  ofTexts(texts: readonly SpelledText[]): ByteNode | null {
    return texts.length === 0 ? null : this.#ofTexts(texts, 0);
  }

  /** The state for texts after their common beginning. `from`: the index of the first byte that may differ. */
  #ofTexts(texts: readonly SpelledText[], from: number): ByteNode {
    const [first, last] = [texts[0], texts.at(-1)!];
    let shared = from;
    const shortest = Math.min(first.bytes.length, last.bytes.length);
    while (shared < shortest - 1 && first.bytes[shared] === last.bytes[shared]) shared++;
    let node = this.#branch(texts, shared);
    for (let i = shared - 1; i >= from; i--) {
      const need =
        texts.length === 1 ? first.needs[i] : texts.reduce((least, { needs }) => Math.min(least, needs[i]), Infinity);
      node = this.#node([{ from: first.bytes[i], to: first.bytes[i], next: node }], need);
    }
    return node;
  }

  #branch(texts: readonly SpelledText[], at: number): ByteNode {
    const edges: ByteEdge[] = [];
    let need = Infinity;
    for (let start = 0; start < texts.length;) {
      const byte = texts[start].bytes[at];
      let end = start;
      while (end < texts.length && texts[end].bytes[at] === byte) need = Math.min(need, texts[end++].needs[at]);
      const isLast = texts[start].bytes.length === at + 1; // the shortest text, which comes first, ends here
      if (isLast) edges.push({ from: byte, to: byte, next: null });
      const longer = texts.slice(start + Number(isLast), end);
      if (longer.length > 0) edges.push({ from: byte, to: byte, next: this.#ofTexts(longer, at + 1) });
      start = end;
    }
    return this.#node(edges, need);
  }

  #ofClass(ranges: CodePointRanges, spelling: Spelling): ByteNode {
    const raw = spelling === 'json' ? intersectionOf(ranges, RAW_IN_JSON) : ranges;
    const edges = this.#utf8Edges(raw);
    if (spelling === 'json') {
      const escapes = this.#escapeEdges(ranges);
      if (escapes.length > 0) edges.push({ from: BACKSLASH, to: BACKSLASH, next: this.#node(escapes) });
    }
    const isOneToken = intersectionOf(raw, this.spellable.characters).length > 0;
    return this.#node(edges, isOneToken ? 1 : undefined);
  }

  /** Makes the transitions for the first bytes of UTF-8 sequences of one to four bytes; they lead to the continuation bytes. */
  #utf8Edges(ranges: CodePointRanges): ByteEdge[] {
    const within = (from: number, to: number) => intersectionOf(ranges, [[from, to]]).map(([a, b]) => [a, b] as const);
    return [
      ...within(0, 0x7f).map(([from, to]) => ({ from, to, next: null })),
      ...this.#continued(within(0x80, 0x7ff), 1, 0xc0),
      ...this.#continued(within(0x800, 0xffff), 2, 0xe0),
      ...this.#continued(within(0x10000, 0x10ffff), 3, 0xf0),
    ];
  }

  /**
   * Transitions for numbers in base 64, the most significant digit first, as UTF-8's continuation bytes write code points.
   *
   * @param digits the number of digits after this one
   * @param first the byte of digit 0
   */
  #continued(ranges: CodePointRanges, digits: number, first: number): ByteEdge[] {
    return digitPieces(ranges, 64 ** digits).map(({ from, to, below }) => ({
      from: first + from,
      to: first + to,
      next: digits === 0 ? null : this.#node(this.#continued(below, digits - 1, 0x80)),
    }));
  }

  #escapeEdges(ranges: CodePointRanges): ByteEdge[] {
    const has = (point: number) => intersectionOf(ranges, [[point, point]]).length > 0;
    const edges: ByteEdge[] = SHORT_ESCAPES.filter(([, point]) => has(point)).map(([letter]) => {
      const byte = letter.charCodeAt(0);
      return { from: byte, to: byte, next: null };
    });
    const byNumber = intersectionOf(ranges, ESCAPED_IN_JSON);
    if (byNumber.length > 0) edges.push({ from: 0x75, to: 0x75, next: this.#node(this.#hexEdges(byNumber, 3)) }); // the letter u
    return edges;
  }

  /** Makes the transitions for four hexadecimal digits, with letters in either case. */
  #hexEdges(ranges: CodePointRanges, digits: number): ByteEdge[] {
    return digitPieces(ranges, 16 ** digits).flatMap(({ from, to, below }) => {
      const next = digits === 0 ? null : this.#node(this.#hexEdges(below, digits - 1));
      const parts = [
        { lowest: Math.max(from, 0), highest: Math.min(to, 9), first: 0x30 },
        { lowest: Math.max(from, 10), highest: Math.min(to, 15), first: 0x41 - 10 },
        { lowest: Math.max(from, 10), highest: Math.min(to, 15), first: 0x61 - 10 },
      ];
      return parts
        .filter(({ lowest, highest }) => lowest <= highest)
        .map(({ lowest, highest, first }) => ({ from: first + lowest, to: first + highest, next }));
    });
  }

  #node(edges: readonly ByteEdge[], known?: number): ByteNode {
    spend(1 + edges.length);
    const need = edges.reduce((least, edge) => Math.min(least, this.#edgeNeed(edge)), known ?? Infinity);
    const key = `${need} ${edges.map(({ from, to, next }) => `${from}-${to}>${next?.id ?? ''}`).join()}`;
    let node = this.#nodes.get(key);
    if (!node) this.#nodes.set(key, (node = { id: this.#nodes.size, edges, need }));
    return node;
  }

  #edgeNeed({ from, to, next }: ByteEdge): number {
    for (let byte = from; byte <= to; byte++) if (this.spellable.bytes[byte]) return 1 + (next?.need ?? 0);
    return Infinity;
  }
}

/**
 * Divides ranges of numbers by their leading digit into digits that share the same ranges of remainders.
 *
 * @param size the value of the leading digit's unit, such as 64 for the second of two base-64 digits
 */
function digitPieces(ranges: CodePointRanges, size: number): { from: number; to: number; below: CodePointRanges }[] {
  const pieces: { from: number; to: number; below: [number, number][] }[] = [];
  const add = (from: number, to: number, start: number, end: number) => {
    const last = pieces.at(-1);
    if (last && last.from === from && last.to === to && from === to) last.below.push([start, end]);
    else if (last && last.to === from - 1 && isWhole(last.below, size) && start === 0 && end === size - 1) last.to = to;
    else pieces.push({ from, to, below: [[start, end]] });
  };
  for (const [from, to] of ranges) {
    const [first, last] = [Math.floor(from / size), Math.floor(to / size)];
    if (first === last) add(first, first, from % size, to % size);
    else {
      add(first, first, from % size, size - 1);
      if (last - first > 1) add(first + 1, last - 1, 0, size - 1);
      add(last, last, 0, to % size);
    }
  }
  return pieces;
}

const isWhole = (ranges: CodePointRanges, size: number): boolean =>
  ranges.length === 1 && ranges[0][0] === 0 && ranges[0][1] === size - 1;
