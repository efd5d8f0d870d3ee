// Builds the index for the product search of the environment `webshop`: it collects the terms of each document, and then sorts
// them into a list of documents per term by one counting sort. An index of 1.2 million documents with 70 different terms each
// needs about 1 GB of memory.
import { lengthCode } from './bm25.js';
import { GrowingArray } from './growing-array.js';
import { PostingsWriter } from './postings.js';
import type { IndexTables } from './search-index.js';

/** The smallest size in bytes of the chunks that are passed to `write`; only the last chunk may be smaller. */
const CHUNK = 2 ** 22;

export class IndexBuilder {
  readonly #numbers = new Map<string, number>();
  /** The number of documents with each term, in the order of the terms' first occurrences. */
  readonly #holders = new GrowingArray(Uint32Array);
  readonly #terms = new GrowingArray(Uint32Array);
  readonly #frequencies = new GrowingArray(Uint8Array);
  readonly #distinct = new GrowingArray(Uint16Array);
  readonly #lengthCodes = new GrowingArray(Uint8Array);
  #totalTerms = 0;

  add(terms: readonly string[]): void {
    const counts = new Map<number, number>();
    for (const term of terms) {
      const number = this.#numberOf(term);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    for (const [number, count] of counts) {
      this.#terms.push(number);
      this.#frequencies.push(Math.min(count, 255));
      this.#holders.set(number, this.#holders.at(number) + 1);
    }
    this.#distinct.push(counts.size);
    this.#lengthCodes.push(lengthCode(terms.length));
    this.#totalTerms += terms.length;
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    this.#numbers.set(term, this.#numbers.size);
    this.#holders.push(0);
    return this.#numbers.size - 1;
  }

  /** Sorts the terms and writes the index. @param write receives the encoded lists of documents in chunks, sorted by term */
  finish(write: (postings: Uint8Array) => void): IndexTables {
    const sorted = this.#sortedTerms();
    const { documents, frequencies, starts } = this.#byTerm(sorted.map(({ number }) => number));
    const offsets = new Float64Array(sorted.length + 1);
    const writer = new PostingsWriter();
    let written = 0;
    for (let t = 0; t < sorted.length; t++) {
      writer.begin();
      for (let i = starts[t]; i < starts[t + 1]; i++) writer.add(documents[i], frequencies[i]);
      if (writer.length >= CHUNK || t === sorted.length - 1) {
        offsets[t + 1] = written + writer.length;
        written = offsets[t + 1];
        write(writer.take());
      } else offsets[t + 1] = written + writer.length;
    }
    const holders = Uint32Array.from({ length: sorted.length }, (_, t) => starts[t + 1] - starts[t]);
    const bytes = sorted.map(({ bytes: of }) => of);
    const termStarts = new Uint32Array(sorted.length + 1);
    bytes.forEach((of, t) => (termStarts[t + 1] = termStarts[t] + of.length));
    return {
      collection: { documents: this.#lengthCodes.length, terms: this.#totalTerms },
      terms: Buffer.concat(bytes),
      termStarts,
      offsets,
      holders,
      lengthCodes: this.#lengthCodes.toArray(),
    };
  }

  #sortedTerms(): { bytes: Buffer; number: number }[] {
    const terms = [...this.#numbers].map(([term, number]) => ({ bytes: Buffer.from(term, 'utf8'), number }));
    return terms.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  }

  /** Returns all pairs of term and document, sorted by term and, within a term, by document. */
  #byTerm(order: readonly number[]) {
    const starts = new Uint32Array(order.length + 1);
    const next = new Uint32Array(order.length);
    order.forEach((number, t) => {
      starts[t + 1] = starts[t] + this.#holders.at(number);
      next[number] = starts[t];
    });
    const documents = new Uint32Array(this.#terms.length);
    const frequencies = new Uint8Array(this.#terms.length);
    for (let document = 0, i = 0; document < this.#distinct.length; document++) {
      for (const end = i + this.#distinct.at(document); i < end; i++) {
        const place = next[this.#terms.at(i)]++;
        documents[place] = document;
        frequencies[place] = this.#frequencies.at(i);
      }
    }
    return { documents, frequencies, starts };
  }
}
