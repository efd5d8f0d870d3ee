// BM25 search over the products, by MiniSearch.
// k1 and b as Lucene's defaults in Pyserini, which WebShop uses; Lucene's stemmer is replaced by dropping a plural s.
import MiniSearch from 'minisearch';
import type { Product } from './product.js';

/** Results of a query, at most. */
const LIMIT = 50;
/** Queries remembered; an agent in training asks the same ones again and again. */
const REMEMBERED = 2000;
const BM25 = { k: 0.9, b: 0.4, d: 0 };

const tooCommon = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the to with'.split(' '),
);

const termOf = (word: string): string | null => {
  const term = word.toLowerCase();
  if (tooCommon.has(term)) return null;
  return term.length > 3 && term.endsWith('s') && !term.endsWith('ss') ? term.slice(0, -1) : term;
};

export class ProductSearch {
  readonly #index: MiniSearch<{ id: number; text: string }>;
  readonly #answers = new Map<string, readonly number[]>();

  constructor(products: readonly Product[]) {
    this.#index = new MiniSearch({
      fields: ['text'],
      tokenize: (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [],
      processTerm: termOf,
      searchOptions: { combineWith: 'OR', prefix: false, fuzzy: false, bm25: BM25 },
    });
    this.#index.addAll(products.map((product, id) => ({ id, text: documentOf(product) })));
  }

  /** Positions of the best products, best first. */
  search(query: string): readonly number[] {
    const known = this.#answers.get(query);
    if (known !== undefined) return known;
    const found = this.#index.search(query).slice(0, LIMIT);
    const answer = found.map(({ id }) => id as number);
    if (this.#answers.size >= REMEMBERED) this.#answers.clear();
    this.#answers.set(query, answer);
    return answer;
  }
}

const documentOf = ({ title, description, bullets, options }: Product): string =>
  [title, description, bullets[0] ?? '', ...[...options].flatMap(([name, values]) => [name, ...values])]
    .join(' ')
    .toLowerCase();
