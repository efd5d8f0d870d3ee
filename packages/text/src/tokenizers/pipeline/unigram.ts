// Finds the tokens of a piece with the largest sum of log probabilities (Viterbi). Source: Kudo 2018 (arXiv:1804.10959); ties and
// unknown characters as in google/sentencepiece, unigram_model.cc.
import { DefinitionError } from './definition.js';
import { PrefixTrie } from './prefix-trie.js';
import { bytesOf, idsOfBytes, PieceCache, SHARE, type TokenModel } from './token-model.js';

/** The difference, in nats, between the log probabilities of the least probable token and of an unknown character. */
const UNKNOWN_PENALTY = 10;

/** [positions + 1] the best segmentation up to each position: its score, and its last token. */
interface Lattice {
  scores: Float64Array;
  starts: Int32Array;
  ids: Int32Array;
}

export class Unigram implements TokenModel {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly #trie: PrefixTrie;
  readonly #scores: Float64Array;
  readonly #unknownScore: number;
  readonly #unknownId: number | null;
  readonly #byteIds: readonly (number | undefined)[];
  readonly #cache = new PieceCache();

  constructor(model: Readonly<Record<string, unknown>>) {
    const pieces = model.vocab as readonly (readonly [string, number])[];
    const entries = pieces.map(([token], id) => [token, id] as const);
    this.vocabulary = new Map(entries);
    this.#trie = new PrefixTrie(entries);
    this.#scores = Float64Array.from(pieces, ([, score]) => score);
    this.#unknownScore = this.#scores.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY;
    this.#unknownId = (model.unk_id as number | null | undefined) ?? null;
    this.#byteIds = model.byte_fallback === true ? idsOfBytes(this.vocabulary) : [];
  }

  *tokenize(piece: string, ids: number[]): Generator<undefined, void> {
    let result = this.#cache.get(piece);
    if (result === undefined) {
      result = this.#spelled(piece, yield* this.#bestPath(piece));
      this.#cache.set(piece, result);
    }
    for (const id of result) ids.push(id);
  }

  *#bestPath(piece: string): Generator<undefined, Lattice> {
    const { length } = piece;
    const scores = new Float64Array(length + 1);
    const starts = new Int32Array(length + 1).fill(-1);
    const ids = new Int32Array(length + 1);
    const lattice = { scores, starts, ids };
    let share = 0;
    for (let start = 0; start < length;) {
      const width = piece.codePointAt(start)! > 0xffff ? 2 : 1;
      let node = 0;
      let isKnown = false;
      for (let at = start; at < length; at++) {
        node = this.#trie.step(node, piece.charCodeAt(at));
        if (node < 0) break;
        const id = this.#trie.idAt(node);
        if (id < 0) continue;
        offer(lattice, start, at + 1, id, scores[start] + this.#scores[id]);
        if (at + 1 === start + width) isKnown = true;
      }
      if (!isKnown) offer(lattice, start, start + width, this.#required(), scores[start] + this.#unknownScore);
      start += width;
      if (++share % SHARE === 0) yield;
    }
    return lattice;
  }

  /** Returns the ids of a segmented piece. Adjacent unknown characters become one unknown token, or the tokens of their bytes. */
  #spelled(piece: string, { starts, ids }: Lattice): number[] {
    const reversed: number[] = [];
    for (let end = piece.length; end > 0;) {
      let start = starts[end];
      if (ids[end] === this.#unknownId) {
        while (start > 0 && ids[start] === this.#unknownId) start = starts[start];
        for (const id of this.#unknown(piece.slice(start, end)).reverse()) reversed.push(id);
      } else reversed.push(ids[end]);
      end = start;
    }
    return reversed.reverse();
  }

  #unknown(text: string): number[] {
    const id = this.vocabulary.get(text);
    return id !== undefined ? [id] : (bytesOf(text, this.#byteIds) ?? [this.#required()]);
  }

  #required(): number {
    if (this.#unknownId === null)
      throw new DefinitionError('a text has a character that is not in the vocabulary, and the model has no unk_id');
    return this.#unknownId;
  }
}

/** If two scores are equal, the first segmentation is kept. */
function offer({ scores, starts, ids }: Lattice, start: number, end: number, id: number, score: number): void {
  if (starts[end] >= 0 && score <= scores[end]) return;
  scores[end] = score;
  starts[end] = start;
  ids[end] = id;
}
