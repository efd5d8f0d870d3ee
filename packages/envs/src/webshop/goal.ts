// What a customer wants, and the human goals of WebShop's instruction file.
// Source: WebShop's goals at 64fa2a5.
// Differs from it: caps and order come from our own generator, so that indices are not those of a Python server.
import type { Rng } from '@bowyer/core';
import type { Product } from './product.js';

export interface Goal {
  asin: string;
  title: string;
  query: string;
  productCategory: string;
  instruction: string;
  attributes: string[];
  /** Values to pick. */
  options: string[];
  /** Dollars. */
  priceCap: number;
}

/** `{asin: [instructions]}`: WebShop's items_human_ins file. */
export type HumanInstructions = Readonly<
  Record<
    string,
    readonly {
      instruction: string;
      instruction_attributes: readonly string[];
      instruction_options: readonly string[] | Readonly<Record<string, string>>;
    }[]
  >
>;

/** No cap is told where fewer than two multiples of ten lie between the price and this, in dollars. */
const HIGHEST_CAP = 1000;
const NO_CAP = 1_000_000;

/** The larger of two caps drawn from the next four multiples of 10 above the price, in dollars. */
export function drawPriceCap(price: number, rng: Rng): number {
  const first = (Math.floor(price / 10) + 1) * 10;
  const caps = [0, 10, 20, 30].map((more) => first + more).filter((cap) => cap < HIGHEST_CAP);
  if (caps.length < 2) return NO_CAP;
  return Math.max(...rng.shuffle(caps).slice(0, 2));
}

export function humanGoals(products: Iterable<Product>, instructions: HumanInstructions, rng: Rng): Goal[] {
  const goals: Goal[] = [];
  for (const product of products) {
    for (const given of instructions[product.asin] ?? []) {
      if (given.instruction_attributes.length === 0) continue;
      const priceCap = drawPriceCap(product.price, rng);
      goals.push({
        ...{ asin: product.asin, title: product.title, query: product.query, productCategory: product.productCategory },
        instruction: withCap(given.instruction.replace(/\.+$/, ''), priceCap),
        attributes: [...given.instruction_attributes],
        options: Object.values(given.instruction_options),
        priceCap,
      });
    }
  }
  return rng.shuffle(goals);
}

/** The request with the price limit at its end. */
export const withCap = (instruction: string, cap: number): string =>
  cap === NO_CAP ? instruction : `${instruction}, and price lower than ${cap.toFixed(2)} dollars`;
