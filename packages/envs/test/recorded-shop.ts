// A shop that is built from recorded pages and has exactly the products, goals and search results that they show. The catalogue
// of the recordings was made up and is unknown; few pages show attributes of products.
import type { Goal } from '../src/webshop/goal.js';
import { nodesOfHtml } from '../src/webshop/html-page.js';
import { productOf, type Product } from '../src/webshop/product.js';
import { MemoryProducts } from '../src/webshop/product-store.js';
import { Shop } from '../src/webshop/shop.js';

interface Known {
  title: string;
  priceText: string;
  options: Record<string, string[]>;
  description: string;
  bullets: string[];
  attributes: string[];
  query: string;
  productCategory: string;
}

/** Parses a Python dict: `{'color': 'black'}`. */
export const readDict = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/'([^']*)': '([^']*)'/g)].map(([, name, value]) => [name, value]));

export class RecordedShop {
  readonly #products = new Map<string, Known>();
  readonly #found = new Map<string, { total: number; asins: string[] }>();
  readonly #goals = new Map<number, Goal>();

  #known(asin: string): Known {
    const known = this.#products.get(asin) ?? {
      title: '',
      priceText: '',
      options: {},
      description: '',
      bullets: [],
      attributes: [],
      query: '',
      productCategory: '',
    };
    this.#products.set(asin, known);
    return known;
  }

  addProduct(asin: string, told: Partial<Known>): void {
    Object.assign(this.#known(asin), told);
  }

  /** Adds a page of results. @param page parts of the text environment's page, from `Page 1 (Total results: 50)` on */
  addResults(keywords: string, page: readonly string[]): void {
    const [, number, total] = /^Page (\d+) \(Total results: (\d+)\)/.exec(page[0]) ?? [];
    const found = this.#found.get(keywords) ?? { total: Number(total), asins: [] };
    const shown = page.slice(page.indexOf('Next >') + 1);
    for (let i = 0; i + 2 < shown.length; i += 3) {
      this.addProduct(shown[i], { title: shown[i + 1], priceText: shown[i + 2] });
      found.asins[(Number(number) - 1) * 10 + i / 3] = shown[i];
    }
    this.#found.set(keywords, found);
  }

  addGoal(index: number, goal: Goal): void {
    this.#goals.set(index, goal);
  }

  attributesOf(asin: string): readonly string[] {
    return this.#known(asin).attributes;
  }

  /** Makes the shop. The attributes of a product are the given ones, or those at the end of its title. */
  open(): Shop {
    const products = [...this.#products].map(([asin, known]) => product(asin, known));
    const goals: (Goal | null)[] = [];
    for (const [index, goal] of this.#goals) {
      while (goals.length < index) goals.push(null);
      goals[index] = goal;
    }
    const ids = new Map(products.map(({ asin }, id) => [asin, id]));
    const search = (keywords: string): number[] => {
      const found = this.#found.get(keywords);
      if (found === undefined) throw new Error(`no recorded search for '${keywords}'`);
      // Results beyond the recorded pages are unknown; other products take their places.
      const others = [...ids.values()].filter((id) => !found.asins.includes(products[id].asin));
      return Array.from({ length: found.total }, (_, i) => ids.get(found.asins[i]) ?? others.pop() ?? 0);
    };
    return new Shop(new MemoryProducts(products), goals, { search });
  }
}

function product(asin: string, known: Known): Product {
  const options = Object.entries(known.options).map(([name, values]) => [name, values.map((value) => ({ value }))]);
  const made = productOf(
    {
      asin,
      name: known.title,
      pricing: known.priceText,
      full_description: known.description,
      small_description: known.bullets,
      query: known.query,
      product_category: known.productCategory,
      customization_options: Object.fromEntries(options),
    },
    { attributes: known.attributes.length > 0 ? known.attributes : attributesInTitle(known.title) },
  );
  return { ...made, price: Number(/[\d.]+/.exec(known.priceText)?.[0]) };
}

/** Returns the attributes at the end of the recordings' made-up titles: `Brand Ware First Attribute, Second Attribute`. */
function attributesInTitle(title: string): string[] {
  const parts = title.toLowerCase().split(', ');
  return [parts[0].split(' ').slice(-2).join(' '), ...parts.slice(1)];
}

/** Returns the values of each option, from the parts of an item's page between `< Prev` and its title. */
export function optionsIn(parts: readonly string[], isValue: (part: string) => boolean): Record<string, string[]> {
  const options: Record<string, string[]> = {};
  let last = '';
  for (const part of parts) {
    if (isValue(part)) (options[last] ??= []).push(part);
    else last = part;
  }
  return options;
}

/** Returns the texts of a page of the site. */
export const partsOf = (html: string): string[] => nodesOfHtml(html).map(({ text }) => text);
