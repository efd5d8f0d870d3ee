// A product as the shop shows and judges it, read from a record of WebShop's items file.
// Source: WebShop (Yao et al. 2022, arXiv:2207.01206), its items file at 64fa2a5.
import { hash32 } from '@bowyer/core';
import { pythonFloat } from '../cpython/repr.js';

/** What of WebShop's items file is read; prices are text such as `$9.99` or `$9.99 - $19.99`. */
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

export interface Product {
  asin: string;
  title: string;
  description: string;
  bullets: string[];
  attributes: string[];
  /** Option name → its values, both in the order of the page. */
  options: Map<string, string[]>;
  /** Dollars charged; of a range, one price drawn from the asin, so that it never changes. */
  price: number;
  /** `$a` or `$a to $b`. */
  priceText: string;
  category: string;
  query: string;
  productCategory: string;
}

/** WebShop's own price of a product that names none, in dollars. */
const UNPRICED = 100;

/** @param attributes of this product in WebShop's attribute file */
export function productOf(record: ProductRecord, attributes: readonly string[]): Product {
  const bullets = record.small_description ?? [];
  const prices = [...(record.pricing ?? '').matchAll(/\d[\d,]*(?:\.\d+)?/g)]
    .map(([text]) => Number(text.replaceAll(',', '')))
    .slice(0, 2);
  const [low, high] = [prices[0] ?? UNPRICED, prices[1] ?? prices[0] ?? UNPRICED];
  return {
    asin: record.asin,
    title: record.name,
    description: record.full_description ?? '',
    bullets: typeof bullets === 'string' ? [bullets] : [...bullets],
    attributes: [...attributes],
    options: optionsOf(record.customization_options),
    price: low + (high - low) * (hash32(record.asin) / 2 ** 32),
    priceText: low === high ? `$${pythonFloat(low)}` : `$${pythonFloat(low)} to $${pythonFloat(high)}`,
    category: record.category ?? '',
    query: (record.query ?? '').toLowerCase().trim(),
    productCategory: record.product_category ?? '',
  };
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
