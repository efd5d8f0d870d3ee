// Converts a record of WebShop's file of items to a product, with the texts that the shop shows and the properties that the
// reward compares. Source: WebShop (Yao et al. 2022, arXiv:2207.01206) and its code at commit 64fa2a5.
import { hash32 } from '@bowyer/core';
import { pythonFloat } from '../cpython/repr.js';

/** The fields of a record in WebShop's file of items that are read. Prices are texts such as `$9.99` or `$9.99 - $19.99`. */
export interface ProductRecord {
  asin: string;
  name: string;
  full_description?: string | null;
  small_description?: string | readonly string[] | null;
  pricing?: string | null;
  customization_options?: Readonly<Record<string, readonly { value: string }[] | null>> | null;
  category?: string;
  query?: string;
  product_category?: string;
}

/** A record of WebShop's file of product attributes. */
export interface AttributeRecord {
  attributes?: readonly string[];
  instruction?: string | null;
  instruction_attributes?: readonly string[] | null;
}

export interface Product {
  asin: string;
  title: string;
  description: string;
  bullets: string[];
  attributes: string[];
  /** The values of each option, such as colour or size, in the order of the product's page. */
  options: Map<string, string[]>;
  /** The price in dollars; drawn from the record's range, if it has one, with the asin as the seed. */
  price: number;
  /** The price as the shop shows it: `$a`, or `$a to $b` for a range. */
  priceText: string;
  category: string;
  query: string;
  productCategory: string;
  /** The generated instruction from which a synthetic goal is made; null if the product has none. */
  instruction: string | null;
  instructionAttributes: string[];
}

/** The price in dollars that WebShop gives to a product without one. */
const UNPRICED = 100;
/** The attribute that WebShop gives to a product without attributes in its file of attributes. */
const NO_ATTRIBUTE = 'DUMMY_ATTR';

/** The length of the longest valid asin. WebShop skips longer ones, `nan`, and all but the first record of an asin. */
const LONGEST_ASIN = 10;
export const isSold = ({ asin }: ProductRecord): boolean => asin !== 'nan' && asin.length <= LONGEST_ASIN;

/** Converts a record. @param known the product's record in WebShop's file of attributes */
export function productOf(record: ProductRecord, known: AttributeRecord = {}): Product {
  const bullets = record.small_description ?? [];
  const [low, high] = pricesIn(record.pricing ?? '');
  return {
    asin: record.asin,
    title: record.name,
    description: record.full_description ?? '',
    bullets: typeof bullets === 'string' ? [bullets] : [...bullets],
    attributes: [...(known.attributes ?? [NO_ATTRIBUTE])],
    options: optionsOf(record.customization_options),
    price: high === undefined ? low : low + (high - low) * (hash32(record.asin) / 2 ** 32),
    priceText: (high === undefined ? [low] : [low, high]).map((price) => `$${pythonFloat(price)}`).join(' to '),
    category: record.category ?? '',
    query: (record.query ?? '').toLowerCase().trim(),
    productCategory: record.product_category ?? '',
    instruction: known.instruction ?? null,
    instructionAttributes: [...(known.instruction_attributes ?? [])],
  };
}

/** Parses the one or two prices in a text: the digits after each dollar sign. */
function pricesIn(text: string): [number, number?] {
  const prices = text
    .split('$')
    .slice(1)
    .map((part) => Number(part.replace(/[^\d.]/g, '')));
  const [low = UNPRICED, high] = prices.filter((price) => Number.isFinite(price)).slice(0, 2);
  return high === undefined ? [low] : [low, high];
}

function optionsOf(given: ProductRecord['customization_options']): Product['options'] {
  const options = new Map<string, string[]>();
  for (const [name, values] of Object.entries(given ?? {})) {
    if (values === null) continue;
    const texts = values.map(({ value }) => value.trim().replaceAll('/', ' | ').toLowerCase());
    options.set(name.toLowerCase(), texts);
  }
  return options;
}
