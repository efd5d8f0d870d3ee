// Searches the products of a shop, with the indexed text of WebShop at commit 64fa2a5, and caches recent queries.
import type { Product } from './product.js';
import type { ProductStore } from './product-store.js';
import { termsOf } from '../search/analyzer.js';
import { IndexBuilder } from '../search/index-builder.js';
import { SearchIndex } from '../search/search-index.js';

const LIMIT = 50;
/** The number of cached queries. In training, agents often repeat a query. */
const REMEMBERED = 2000;

/** Returns a product's search terms, from `title description first-bullet name: a, b, and name: c` in lower case. */
export function searchTerms({ title, description, bullets, options }: Product): string[] {
  const choices = [...options].map(([name, values]) => `${name}: ${values.join(', ')}`).join(', and ');
  return termsOf([title, description, bullets[0] ?? '', choices].join(' ').toLowerCase());
}

export class ProductSearch {
  readonly #answers = new Map<string, readonly number[]>();

  constructor(private readonly index: SearchIndex) {}

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

  /** Returns product indices, best score first; as in Pyserini, those with equal scores are sorted by asin. */
  search(query: string): readonly number[] {
    const known = this.#answers.get(query);
    if (known !== undefined) return known;
    const answer = this.index.search(query, LIMIT);
    if (this.#answers.size >= REMEMBERED) this.#answers.clear();
    this.#answers.set(query, answer);
    return answer;
  }
}

/** Returns [N] the rank of each of N texts in sorted order. */
function ranksOf(texts: readonly string[]): Uint32Array {
  const ranks = new Uint32Array(texts.length);
  const sorted = texts.map((_, i) => i).sort((a, b) => (texts[a] < texts[b] ? -1 : 1));
  sorted.forEach((i, rank) => (ranks[i] = rank));
  return ranks;
}
