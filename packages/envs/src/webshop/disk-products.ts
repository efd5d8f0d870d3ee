// Reads a large shop's products from a folder: JSON lines, the byte offset of each, and the sorted asins (product ids).
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aligned, FilePart } from './file-part.js';
import type { Product } from './product.js';
import type { ProductStore } from './product-store.js';

/** The number of bytes of an asin in the file. Shorter asins are padded with spaces. */
const ASIN_BYTES = 10;
const CHUNK = 4096;
const REMEMBERED = 20_000;

const names = {
  products: 'products.jsonl',
  starts: 'product-starts.f64',
  asins: 'asins.bin',
  ids: 'asin-ids.u32',
  instructed: 'instructed.u32',
} as const;

/** Returns an asin in the form in which asins are stored and sorted: its UTF-8 bytes as Latin-1 characters, padded to ten. */
const keyOf = (asin: string): string => Buffer.from(asin, 'utf8').toString('latin1').padEnd(ASIN_BYTES);

export class ProductsWriter {
  readonly #file: number;
  readonly #starts: number[] = [0];
  readonly #asins: string[] = [];
  readonly #instructed: number[] = [];
  #lines: string[] = [];

  constructor(private readonly folder: string) {
    this.#file = openSync(join(folder, names.products), 'w');
  }

  add(product: Product): void {
    if (product.instruction !== null) this.#instructed.push(this.#asins.length);
    this.#asins.push(keyOf(product.asin));
    const line = `${JSON.stringify({ ...product, options: [...product.options] })}\n`;
    this.#lines.push(line);
    this.#starts.push(this.#starts[this.#starts.length - 1] + Buffer.byteLength(line));
    if (this.#lines.length === CHUNK) this.#flush();
  }

  finish(): void {
    this.#flush();
    closeSync(this.#file);
    const asins = this.#asins;
    const ids = Uint32Array.from(asins, (_, id) => id).sort((a, b) => (asins[a] < asins[b] ? -1 : 1));
    const write = (name: string, bytes: NodeJS.ArrayBufferView) => writeFileSync(join(this.folder, name), bytes);
    write(names.starts, Float64Array.from(this.#starts));
    write(names.ids, ids);
    write(names.asins, Buffer.from(Array.from(ids, (id) => asins[id].slice(0, ASIN_BYTES)).join(''), 'latin1'));
    write(names.instructed, Uint32Array.from(this.#instructed));
  }

  #flush(): void {
    appendFileSync(this.#file, this.#lines.join(''));
    this.#lines = [];
  }
}

export class DiskProducts implements ProductStore {
  readonly #lines: FilePart;
  readonly #starts: Float64Array;
  readonly #asins: Buffer;
  readonly #ids: Uint32Array;
  readonly #instructed: Uint32Array;
  readonly #latest = new Map<number, Product>();

  constructor(folder: string) {
    const bytesOf = (name: string) => readFileSync(join(folder, name));
    this.#lines = new FilePart(join(folder, names.products));
    this.#starts = new Float64Array(aligned(bytesOf(names.starts)));
    this.#ids = new Uint32Array(aligned(bytesOf(names.ids)));
    this.#instructed = new Uint32Array(aligned(bytesOf(names.instructed)));
    this.#asins = bytesOf(names.asins);
  }

  get size(): number {
    return this.#ids.length;
  }

  at(id: number): Product {
    const known = this.#latest.get(id);
    if (known !== undefined) return known;
    const [start, end] = [this.#starts[id], this.#starts[id + 1]];
    const { options, ...product } = JSON.parse(this.#lines.read(start, end - start).toString('utf8')) as Omit<
      Product,
      'options'
    > & { options: [string, string[]][] };
    const whole = { ...product, options: new Map(options) };
    if (this.#latest.size >= REMEMBERED) this.#latest.clear();
    this.#latest.set(id, whole);
    return whole;
  }

  idOf(asin: string): number | undefined {
    const key = keyOf(asin);
    if (key.length !== ASIN_BYTES) return undefined;
    for (let [low, high] = [0, this.size - 1]; low <= high;) {
      const middle = (low + high) >>> 1;
      const here = this.#asins.toString('latin1', middle * ASIN_BYTES, (middle + 1) * ASIN_BYTES);
      if (here === key) return this.#ids[middle];
      if (here < key) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  instructed(): Iterable<number> {
    return this.#instructed;
  }

  /** Returns [size] the rank of each product when products are sorted by asin. */
  ranks(): Uint32Array {
    const ranks = new Uint32Array(this.size);
    this.#ids.forEach((id, rank) => (ranks[id] = rank));
    return ranks;
  }
}
