// Automata over bytes for single characters: their UTF-8, or what stands for them within a string of JSON.
import { intersectionOf, type CodePointRanges } from './code-points.js';
import { spend } from './effort.js';
import type { Spelling } from './grammar.js';

/** A place within a character. */
export interface ByteNode {
  readonly id: number;
  /** `next` is null where the character or the text ends. Disjoint, but for a text that another one continues. */
  readonly edges: readonly ByteEdge[];
  /** The least number of tokens with which the character can be completed from here; infinite where the vocabulary cannot. */
  readonly need: number;
}

interface ByteEdge {
  readonly from: number;
  readonly to: number;
  readonly next: ByteNode | null;
}

/** The units that the vocabulary can spell by themselves. */
export interface SpellableUnits {
  /** [256] whether a token is this one byte. */
  readonly bytes: readonly boolean[];
  /** Characters that are one token each. */
  readonly characters: CodePointRanges;
}

/** A text as bytes, and the least number of tokens from each of them to its end. */
interface SpelledText {
  readonly bytes: Uint8Array;
  readonly needs: readonly number[];
}

/** Ranges of a class that are looked at in one step. */
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

/** The characters that a string of JSON contains unescaped: all but control characters, the quotation mark and the backslash. */
const RAW_IN_JSON: CodePointRanges = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0x10ffff],
];

/** The characters that may be written as `\uXXXX`: control characters, and all beyond ASCII but halves of pairs, as by writers of ASCII. */
const ESCAPED_IN_JSON: CodePointRanges = [
  [0x00, 0x1f],
  [0x7f, 0xd7ff],
  [0xe000, 0xffff],
];

const BACKSLASH = 0x5c;

/** Makes nodes, each once, for one vocabulary. */
export class ByteNodes {
  readonly #nodes = new Map<string, ByteNode>();
  readonly #classes = new Map<string, ByteNode>();

  constructor(private readonly spellable: SpellableUnits) {}

  /** Counts the nodes. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Returns the node of any one character of a class. */
  ofClass(ranges: CodePointRanges, spelling: Spelling): ByteNode {
    spend(Math.ceil(ranges.length / RANGES_PER_STEP));
    const key = `${spelling} ${ranges.join()}`;
    let node = this.#classes.get(key);
    if (!node) this.#classes.set(key, (node = this.#ofClass(ranges, spelling)));
    return node;
  }

  /** Returns the node of any one of fixed texts, which are not empty, each once and in the order of their bytes; null without any. */
  ofTexts(texts: readonly SpelledText[]): ByteNode | null {
    return texts.length === 0 ? null : this.#ofTexts(texts, 0);
  }

  /**
   * Returns the node of texts whose first bytes are read.
   *
   * @param from the bytes before it are the same in all texts
   */
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

  /** Makes an edge for each byte at a place, behind which all texts with that byte continue. */
  #branch(texts: readonly SpelledText[], at: number): ByteNode {
    const edges: ByteEdge[] = [];
    let need = Infinity;
    for (let start = 0; start < texts.length;) {
      const byte = texts[start].bytes[at];
      let end = start;
      while (end < texts.length && texts[end].bytes[at] === byte) need = Math.min(need, texts[end++].needs[at]);
      const isLast = texts[start].bytes.length === at + 1; // it is the shortest of them, and comes first
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

  /** Makes the edges of leading bytes of one to four, and their continuations. */
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
   * Makes edges by the digits of the base 64, most significant first.
   *
   * @param ranges of numbers
   * @param digits how many follow this one
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
    if (byNumber.length > 0) edges.push({ from: 0x75, to: 0x75, next: this.#node(this.#hexEdges(byNumber, 3)) }); // u
    return edges;
  }

  /** Makes the edges of four hexadecimal digits, letters in either case. */
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
 * Lists leading digits from … to … and the ranges of what is left after them, the same for all of these.
 *
 * @param size numbers below one digit
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
