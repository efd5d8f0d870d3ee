// Defines the access to the products of a shop, which are in memory or on disk, by their index in the catalogue.
import type { Product } from './product.js';

export interface ProductStore {
  readonly size: number;
  /** Returns a product. @param id 0 to size − 1, in the order of the file of products */
  at(id: number): Product;
  /** Returns the index of the product with exactly this asin (product id); undefined if there is none. */
  idOf(asin: string): number | undefined;
  /** Returns, in ascending order, the products with a generated instruction, from which synthetic goals are made. */
  instructed(): Iterable<number>;
}

export class MemoryProducts implements ProductStore {
  readonly #ids: ReadonlyMap<string, number>;

  constructor(private readonly products: readonly Product[]) {
    this.#ids = new Map(products.map(({ asin }, id) => [asin, id]));
  }

  get size(): number {
    return this.products.length;
  }

  at(id: number): Product {
    return this.products[id];
  }

  idOf(asin: string): number | undefined {
    return this.#ids.get(asin);
  }

  *instructed(): Iterable<number> {
    for (const [id, { instruction }] of this.products.entries()) if (instruction !== null) yield id;
  }
}
