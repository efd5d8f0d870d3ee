// Makes the products and goals of a shop from a seed, so that the environment `webshop` needs no download.
import { Rng } from '@bowyer/core';
import { fromDataFile } from '../data-file.js';
import { drawPriceCap, withCap, type Goal } from './goal.js';
import { productOf, type Product, type ProductRecord } from './product.js';

interface Department {
  path: string;
  /** The kinds of products of a category, in the plural. */
  wares: readonly string[];
  attributes: readonly string[];
  options: Readonly<Record<string, readonly string[]>>;
  prices: readonly [number, number];
}

const catalogueData = fromDataFile(
  'webshop/departments.json',
  (data: { departments: readonly Department[]; brands: readonly string[] }) => data,
);

const MOST_ATTRIBUTES = 3;

const capitals = (text: string): string => text.replace(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase());

function makeAsin(rng: Rng, taken: Set<string>): string {
  for (;;) {
    const letters = Array.from({ length: 7 }, () => rng.choice([...'0123456789ABCDEFGHJKLMNPQRSTVWXYZ']));
    const asin = `B0Z${letters.join('')}`;
    if (!taken.has(asin)) {
      taken.add(asin);
      return asin;
    }
  }
}

function makeProduct(rng: Rng, asin: string): Product {
  const department = rng.choice(catalogueData().departments);
  const ware = rng.choice(department.wares);
  const attributes = rng.shuffle([...department.attributes]).slice(0, rng.integer(3, 5));
  const options = Object.entries(department.options).map(([name, values]) => {
    const kept = new Set(rng.shuffle([...values]).slice(0, rng.integer(2, 4)));
    return [name, values.filter((value) => kept.has(value)).map((value) => ({ value }))] as const;
  });
  const [low, high] = department.prices;
  // The square makes low prices more frequent than high ones.
  const price = low + (high - low) * rng.uniform() ** 2;
  const range = rng.uniform() < 0.2 ? ` - $${(price * 1.3).toFixed(2)}` : '';
  const record: ProductRecord = {
    asin,
    name: `${rng.choice(catalogueData().brands)} ${capitals(ware)}, ${attributes.slice(0, 2).map(capitals).join(', ')}`,
    full_description: `These ${ware} are made for every day: ${attributes.join(', ')}.`,
    small_description: attributes.map((attribute) => `${capitals(attribute)}: part of how these ${ware} are made.`),
    pricing: `$${price.toFixed(2)}${range}`,
    customization_options: Object.fromEntries(options),
    query: ware,
    product_category: `${department.path} › ${capitals(ware)}`,
  };
  return productOf(record, { attributes });
}

function makeGoal(rng: Rng, product: Product): Goal {
  const { asin, title, query, productCategory } = product;
  const attributes = rng.shuffle([...product.attributes]).slice(0, rng.integer(1, MOST_ATTRIBUTES));
  const wanted = [...product.options].map(([name, values]) => ({ name, value: rng.choice(values) }));
  const priceCap = drawPriceCap(product.price, { sample: (caps, count) => rng.shuffle([...caps]).slice(0, count) });
  const opening = rng.choice(['i need', 'i am looking for', 'find me', 'i would like to buy']);
  const choices = wanted.map(({ name, value }) => `, and i prefer the ${name} ${value}`).join('');
  const instruction = withCap(`${opening} ${query} that are ${attributes.join(' and ')}${choices}`, priceCap);
  const options = wanted.map(({ value }) => value);
  return { asin, title, query, productCategory, instruction, attributes, options, priceCap };
}

/** Makes products and customers' goals. @param numGoals at most `numProducts`, since no two goals have the same product */
export function makeCatalogue(
  seed: number,
  numProducts: number,
  numGoals: number,
): { products: Product[]; goals: Goal[] } {
  const rng = Rng.forPurpose(seed, 'webshop catalogue');
  const taken = new Set<string>();
  const products = Array.from({ length: numProducts }, () => makeProduct(rng, makeAsin(rng, taken)));
  const goals = rng
    .shuffle([...products])
    .slice(0, numGoals)
    .map((product) => makeGoal(rng, product));
  return { products, goals };
}
