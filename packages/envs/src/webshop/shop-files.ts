// Opens a shop from WebShop's files: products with attributes, and then goals. Source: WebShop's code at commit 64fa2a5.
import { readFileSync, statSync } from 'node:fs';
import {
  humanGoals,
  recordedGoals,
  syntheticGoals,
  type Goal,
  type GoalRecord,
  type HumanInstructions,
} from './goal.js';
import { jsonArrayIn } from './json-array-file.js';
import { isSold, productOf, type AttributeRecord, type Product, type ProductRecord } from './product.js';
import { MemoryProducts, type ProductStore } from './product-store.js';
import { ProductSearch } from './product-search.js';
import { openShopFolder, type ShopFiles } from './shop-folder.js';

export class WebShopOptionsError extends Error {
  override readonly name = 'WebShopOptionsError';
}

/** The largest products file in bytes that is kept in memory; a larger one is converted once to a folder with an index. */
const LARGEST_IN_MEMORY = 32 * 2 ** 20;

export function openProducts(files: ShopFiles): { products: ProductStore; search: ProductSearch } {
  const read = () => productsIn(files);
  if (files.indexDir !== null || sizeOf(files.products) > LARGEST_IN_MEMORY) return openShopFolder(files, read);
  const products = new MemoryProducts([...read()]);
  return { products, search: ProductSearch.over(products) };
}

/** Yields the products in the order of the file, and only the first record of each asin (product id). */
function* productsIn({ products, attributes, productLimit }: ShopFiles): Generator<Product> {
  const known = attributes === null ? {} : readJson<Record<string, AttributeRecord>>(attributes, 'attributes');
  const seen = new Set<string>();
  let records = 0;
  try {
    for (const record of jsonArrayIn<ProductRecord>(products)) {
      if (productLimit !== null && records++ >= productLimit) return;
      if (!isSold(record) || seen.has(record.asin)) continue;
      seen.add(record.asin);
      yield productOf(record, known[record.asin]);
    }
  } catch (error) {
    throw unreadable('products', products, error);
  }
}

export type GoalKind = 'human' | 'human_every_cap' | 'synthetic';

/** Reads the goals of customers. @param file WebShop's human instructions, or a list of goals that a server printed */
export function goalsOf(
  products: ProductStore,
  { kind, file, seed }: { kind: GoalKind; file: string | null; seed: number },
): (Goal | null)[] {
  if (kind === 'synthetic') return someOf(syntheticGoals(products), 'env.attributes has no instruction');
  if (file === null) {
    throw new WebShopOptionsError(
      'webshop: products were given but no goals; give the human instructions file with env.goals=FILE,\n' +
        '  or take those of the attribute file with env.goal_kind=synthetic',
    );
  }
  const given = readJson<HumanInstructions | (GoalRecord | null)[]>(file, 'goals');
  if (Array.isArray(given)) return recordedGoals(given as (GoalRecord | null)[]);
  const everyCap = kind === 'human_every_cap';
  const goals = humanGoals(products, given as HumanInstructions, { seed, everyCap });
  return someOf(goals, `'${file}' has no instruction`);
}

function someOf(goals: Goal[], lack: string): Goal[] {
  if (goals.length > 0) return goals;
  throw new WebShopOptionsError(`webshop: ${lack} for any of the products`);
}

function readJson<T>(path: string, option: string): T {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    throw unreadable(option, path, error);
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    throw unreadable('products', path, error);
  }
}

const unreadable = (option: string, path: string, error: unknown): WebShopOptionsError =>
  new WebShopOptionsError(`env.${option}: '${path}' cannot be read: ${(error as Error).message}`);
