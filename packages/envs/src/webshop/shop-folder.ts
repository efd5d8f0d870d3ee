// Makes and opens a folder with products and their search index, for catalogues that are too large for memory.
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Collection } from '../search/bm25.js';
import { DiskProducts, ProductsWriter } from './disk-products.js';
import { aligned, FilePart } from './file-part.js';
import type { Product } from './product.js';
import { ProductSearch, searchTerms } from './product-search.js';
import { IndexBuilder } from '../search/index-builder.js';
import { SearchIndex, type IndexTables } from '../search/search-index.js';

/** The paths of WebShop's files of products and their attributes, and where to put the folder. */
export interface ShopFiles {
  products: string;
  attributes: string | null;
  /** The number of records of the products file to read; null: all. */
  productLimit: number | null;
  /** The folder for the products and the search index; null: beside the products file. */
  indexDir: string | null;
}

/** The version of the folder's content, to be increased when files, products or search terms change, so that it is made again. */
const VERSION = 1;

/** The content of the folder's file `index.json`, which says from which files the folder was made. */
interface Description {
  version: number;
  products: FileState;
  attributes: FileState | null;
  productLimit: number | null;
  collection: Collection;
}

interface FileState {
  bytes: number;
  modifiedMs: number;
}

const stateOf = (path: string): FileState => {
  const { size, mtimeMs } = statSync(path);
  return { bytes: size, modifiedMs: mtimeMs };
};

/** Opens the folder. It is made again from the iterable `products` if it does not exist or was made from other files. */
export function openShopFolder(files: ShopFiles, products: () => Iterable<Product>) {
  const folder = files.indexDir ?? `${files.products}.index`;
  const source = {
    version: VERSION,
    products: stateOf(files.products),
    attributes: files.attributes === null ? null : stateOf(files.attributes),
    productLimit: files.productLimit,
  };
  if (!isMadeFrom(folder, source)) make(folder, source, products());
  return open(folder);
}

type Source = Omit<Description, 'collection'>;

function isMadeFrom(folder: string, source: Source): boolean {
  const file = join(folder, 'index.json');
  if (!existsSync(file)) return false;
  const { collection: _, ...made } = JSON.parse(readFileSync(file, 'utf8')) as Description;
  return JSON.stringify(made) === JSON.stringify(source);
}

/** Writes the folder under a temporary name and then renames it, so that a folder under the right name is always complete. */
function make(folder: string, source: Source, products: Iterable<Product>): void {
  const started = performance.now();
  process.stderr.write(`webshop: making the search index ${folder}, once\n`);
  const temporary = `${folder}.${process.pid}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  try {
    const collection = writeFolder(temporary, products);
    writeFileSync(join(temporary, 'index.json'), JSON.stringify({ ...source, collection } satisfies Description));
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stderr.write(`webshop: ${collection.documents} products indexed in ${seconds} s\n`);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Renaming fails if another process has meanwhile made the same folder, which is then used.
    if (!isMadeFrom(folder, source)) throw error;
  }
}

function writeFolder(folder: string, products: Iterable<Product>): Collection {
  const writer = new ProductsWriter(folder);
  const builder = new IndexBuilder();
  for (const product of products) {
    writer.add(product);
    builder.add(searchTerms(product));
  }
  writer.finish();
  const postings = openSync(join(folder, 'postings.bin'), 'w');
  const tables = builder.finish((piece) => appendFileSync(postings, piece));
  closeSync(postings);
  for (const [name, array] of Object.entries(tableArrays(tables))) writeFileSync(join(folder, name), array);
  return tables.collection;
}

const tableArrays = ({ terms, termStarts, offsets, holders, lengthCodes }: IndexTables) => ({
  'terms.bin': terms,
  'term-starts.u32': termStarts,
  'offsets.f64': offsets,
  'holders.u32': holders,
  'lengths.u8': lengthCodes,
});

function open(folder: string) {
  const bytesOf = (name: string) => readFileSync(join(folder, name));
  const { collection } = JSON.parse(bytesOf('index.json').toString('utf8')) as Description;
  const tables: IndexTables = {
    collection,
    terms: bytesOf('terms.bin'),
    termStarts: new Uint32Array(aligned(bytesOf('term-starts.u32'))),
    offsets: new Float64Array(aligned(bytesOf('offsets.f64'))),
    holders: new Uint32Array(aligned(bytesOf('holders.u32'))),
    lengthCodes: bytesOf('lengths.u8'),
  };
  const products = new DiskProducts(folder);
  const postings = new FilePart(join(folder, 'postings.bin'));
  const search = new SearchIndex(tables, (offset, length) => postings.read(offset, length), products.ranks());
  return { products, search: new ProductSearch(search) };
}
