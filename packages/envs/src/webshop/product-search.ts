// Searches the products: the text of a product that is searched, and a cache of the latest queries.
// Source: WebShop's search documents at 64fa2a5.
import type { Product } from './product.js';
import type { ProductStore } from './product-store.js';
import { termsOf } from '../search/analyzer.js';
import { IndexBuilder } from '../search/index-builder.js';
import { SearchIndex } from '../search/search-index.js';

/** The most results of a query. */
const LIMIT = 50;
/** The number of cached queries; an agent in training repeats the same ones. */
const REMEMBERED = 2000;

/** Returns the terms of a product, from `title description first-bullet name: a, b, and name: c`, in lower case. */
export function searchTerms({ title, description, bullets, options }: Product): string[] {
  const choices = [...options].map(([name, values]) => `${name}: ${values.join(', ')}`).join(', and ');
  return termsOf([title, description, bullets[0] ?? '', choices].join(' ').toLowerCase());
}

export class ProductSearch {
  readonly #answers = new Map<string, readonly number[]>();

  constructor(private readonly index: SearchIndex) {}

  /** Returns an index in memory. */
  static over(products: ProductStore): ProductSearch {
    const builder = new IndexBuilder();
    for (let id = 0; id < products.size; id++) builder.add(searchTerms(products.at(id)));
    const pieces: Uint8Array[] = [];
    const tables = builder.finish((piece) => pieces.push(piece));
    const postings = Buffer.concat(pieces);
    const asins = Array.from({ length: products.size }, (_, id) => products.at(id).asin);
    const read = (offset: number, length: number) => postings.subarray(offset, offset + length);
    return new ProductSearch(new SearchIndex(tables, read, ranksOf(asins)));
  }

  /** Places of the best products, best first; of equals, the one whose asin comes first, as Pyserini has it. */
  search(query: string): readonly number[] {
    const known = this.#answers.get(query);
    if (known !== undefined) return known;
    const answer = this.index.search(query, LIMIT);
    if (this.#answers.size >= REMEMBERED) this.#answers.clear();
    this.#answers.set(query, answer);
    return answer;
  }
}

/** Returns [N] the rank of each text among the sorted ones. */
function ranksOf(texts: readonly string[]): Uint32Array {
  const ranks = new Uint32Array(texts.length);
  const sorted = texts.map((_, i) => i).sort((a, b) => (texts[a] < texts[b] ? -1 : 1));
  sorted.forEach((i, rank) => (ranks[i] = rank));
  return ranks;
}
