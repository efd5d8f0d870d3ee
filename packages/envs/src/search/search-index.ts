// Ranks documents by the terms of a query, with BM25. The postings (the list of documents for each term) are in memory, or in a
// file from which a query reads only the lists of its own terms. docs/decisions/webshop.md says why this package has its own
// search index.
import { inverseDocumentFrequency, inverseNorms, termScore, type Collection } from './bm25.js';
import { termsOf } from './analyzer.js';
import { forEachPosting } from './postings.js';

/** The tables of a search index of T terms and D documents, without the postings (the lists of documents for each term). */
export interface IndexTables {
  collection: Collection;
  /** The terms as UTF-8 bytes, sorted and concatenated. */
  terms: Buffer;
  /** [T + 1] the byte offset in `terms` at which each term begins. */
  termStarts: Uint32Array;
  /** [T + 1] the byte offset in the postings at which each term's list of documents begins. */
  offsets: Float64Array;
  /** [T] the number of documents with each term. */
  holders: Uint32Array;
  /** [D] each document's length, rounded and encoded in a byte as in Lucene. */
  lengthCodes: Uint8Array;
}

/** Reads bytes of the postings from memory or from a file. */
type ReadPostings = (offset: number, length: number) => Uint8Array;

export class SearchIndex {
  readonly #norms: Float32Array;
  /** [D] the scores of the current query; all are zero between queries. */
  readonly #sums: Float64Array;

  /** Opens an index. @param ranks [D] the order in which documents with equal scores are returned, the smallest first */
  constructor(
    private readonly tables: IndexTables,
    private readonly read: ReadPostings,
    private readonly ranks: Uint32Array,
  ) {
    this.#norms = inverseNorms(tables.collection);
    this.#sums = new Float64Array(tables.collection.documents);
  }

  get terms(): number {
    return this.tables.holders.length;
  }

  /** Returns the documents with the largest scores, best first. Each contains at least one term of the query. */
  search(query: string, limit: number): number[] {
    const counts = new Map<string, number>();
    for (const term of termsOf(query)) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) this.#score(term, count);
    const best = this.#best(limit);
    this.#sums.fill(0);
    return best;
  }

  #score(term: string, count: number): void {
    const place = this.#placeOf(Buffer.from(term, 'utf8'));
    if (place < 0) return;
    const { collection, holders, offsets, lengthCodes } = this.tables;
    const weight = Math.fround(count * inverseDocumentFrequency(collection.documents, holders[place]));
    const [norms, sums] = [this.#norms, this.#sums];
    // Most documents contain the term once. Their rounded lengths have 256 values, so that each score is computed only once.
    const once = norms.map((norm) => termScore(weight, 1, norm));
    forEachPosting(this.read(offsets[place], offsets[place + 1] - offsets[place]), (document, frequency) => {
      const code = lengthCodes[document];
      sums[document] += frequency === 1 ? once[code] : termScore(weight, frequency, norms[code]);
    });
  }

  /** Returns the index of a term in the sorted table by binary search; negative if no document contains the term. */
  #placeOf(term: Buffer): number {
    const { terms, termStarts } = this.tables;
    for (let [low, high] = [0, this.terms - 1]; low <= high;) {
      const middle = (low + high) >>> 1;
      const order = terms.compare(term, 0, term.length, termStarts[middle], termStarts[middle + 1]);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Returns the documents with the largest scores. They are kept in a heap whose root is the worst of them. */
  #best(limit: number): number[] {
    const sums = this.#sums;
    const heap: number[] = [];
    let threshold = 0;
    for (let document = 0; document < sums.length; document++) {
      if (sums[document] <= 0) continue;
      const score = Math.fround(sums[document]);
      if (heap.length === limit && score < threshold) continue;
      sums[document] = score;
      if (heap.length < limit) {
        heap.push(document);
        if (heap.length === limit) for (let i = limit >>> 1; i >= 0; i--) this.#sink(heap, i);
      } else if (this.#isBetter(document, heap[0])) {
        heap[0] = document;
        this.#sink(heap, 0);
      } else continue;
      if (heap.length === limit) threshold = sums[heap[0]];
    }
    return heap.sort((a, b) => (this.#isBetter(a, b) ? -1 : 1));
  }

  #isBetter(a: number, b: number): boolean {
    const difference = this.#sums[a] - this.#sums[b];
    return difference > 0 || (difference === 0 && this.ranks[a] < this.ranks[b]);
  }

  /** Moves an entry of the heap down until no entry below it has a smaller score. */
  #sink(heap: number[], from: number): void {
    for (let i = from; ;) {
      let worst = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < heap.length && this.#isBetter(heap[worst], heap[child])) worst = child;
      }
      if (worst === i) return;
      [heap[i], heap[worst]] = [heap[worst], heap[i]];
      i = worst;
    }
  }
}
