// The wishes of customers, and the goals of WebShop's own files, in the order in which its servers count them.
// Source: WebShop's goals at 64fa2a5, AgentGym's fork of them at 3ef9235.
// Differs from it: where their price caps are drawn without a seed (human goals), ours are drawn with one.
import { maximum } from '@bowyer/core';
import { PythonRandom } from '../cpython/random.js';
import type { Product } from './product.js';
import type { ProductStore } from './product-store.js';

/** A value to choose, or a name with its value. */
type GoalOption = string | readonly [name: string, value: string];

export interface Goal {
  asin: string;
  title: string;
  query: string;
  productCategory: string;
  instruction: string;
  attributes: string[];
  options: GoalOption[];
  /** Instructions by product, `{asin: [instructions]}`: WebShop's items_human_ins file. */
  priceCap: number;
}

/** A goal in the form of WebShop's servers, as their last page prints it. */
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

/** A goal in the form of WebShop's servers, as their last page prints it. */
export interface GoalRecord {
  asin: string;
  name: string;
  query: string;
  product_category: string;
  instruction_text: string;
  attributes: readonly string[];
  goal_options: readonly string[] | Readonly<Record<string, string>>;
  price_upper: number;
}

/** The largest price cap in dollars; caps are multiples of ten, and a price has four of them at most. */
const HIGHEST_CAP = 990;
const CAPS = 4;
const NO_CAP = 1_000_000;

/** The seed with which WebShop draws caps and shuffles goals. */
const SEED = 233;

/** Returns the next multiples of 10 above the price; none where there are fewer than two. */
function capsAbove(price: number): number[] {
  const first = (Math.floor(price / 10) + 1) * 10;
  const caps = Array.from({ length: CAPS }, (_, i) => first + 10 * i).filter((cap) => cap <= HIGHEST_CAP);
  return caps.length < 2 ? [] : caps;
}

/** Draws a price cap: the larger of two of the price's caps, in dollars. */
export function drawPriceCap(price: number, random: Pick<PythonRandom, 'sample'>): number {
  const caps = capsAbove(price);
  return caps.length === 0 ? NO_CAP : maximum(random.sample(caps, 2));
}

/** Returns the request with the price limit at its end. */
export const withCap = (instruction: string, cap: number): string =>
  cap === NO_CAP ? instruction : `${instruction}, and price lower than ${cap.toFixed(2)} dollars`;

/** Shuffles goals as WebShop does, so that goal k is that of its servers' session k. */
function inServerOrder(goals: Goal[]): Goal[] {
  new PythonRandom(SEED).shuffle(goals);
  return goals;
}

/**
 * Returns one goal for each instruction that names attributes, in the order of the products.
 * @param everyCap as AgentGym's fork: one for each of the caps instead of one with a drawn cap
 */
export function humanGoals(
  products: ProductStore,
  instructions: HumanInstructions,
  { seed, everyCap }: { seed: number; everyCap: boolean },
): Goal[] {
  const random = new PythonRandom(seed);
  const goals: Goal[] = [];
  for (const id of idsOf(products, Object.keys(instructions))) {
    const product = products.at(id);
    for (const given of instructions[product.asin]) {
      if (given.instruction_attributes.length === 0) continue;
      const instruction = given.instruction.replace(/^\.+|\.+$/g, '');
      for (const priceCap of everyCap ? allCaps(product.price) : [drawPriceCap(product.price, random)]) {
        goals.push({
          ...wantedOf(product),
          instruction: withCap(instruction, priceCap),
          attributes: [...given.instruction_attributes],
          options: optionsOf(given.instruction_options),
          priceCap,
        });
      }
    }
  }
  return inServerOrder(goals);
}

/** Returns four caps also where there is none, as AgentGym's fork does. */
function allCaps(price: number): number[] {
  const caps = capsAbove(price);
  return caps.length === 0 ? Array<number>(CAPS).fill(NO_CAP) : caps;
}

/** Makes goals: for each product with an instruction, one for every combination of its options, all with one cap. */
export function syntheticGoals(products: ProductStore): Goal[] {
  const random = new PythonRandom(SEED);
  const goals: Goal[] = [];
  for (const id of products.instructed()) {
    const product = products.at(id);
    const priceCap = drawPriceCap(product.price, random);
    for (const options of combinations(product.options)) {
      const choices = options.map(([name, value]) => `${name}: ${value}`).join(', and ');
      goals.push({
        ...wantedOf(product),
        instruction: withCap(`${product.instruction}${choices && ` with ${choices}`}`, priceCap),
        attributes: [...product.instructionAttributes],
        options,
        priceCap,
      });
    }
  }
  return inServerOrder(goals);
}

/** Converts goals in the form and order of a server; null stands for an unknown one. */
export const recordedGoals = (records: readonly (GoalRecord | null)[]): (Goal | null)[] =>
  records.map(
    (record) =>
      record && {
        asin: record.asin,
        title: record.name,
        query: record.query,
        productCategory: record.product_category,
        instruction: record.instruction_text,
        attributes: [...record.attributes],
        options: optionsOf(record.goal_options),
        priceCap: record.price_upper,
      },
  );

const wantedOf = ({ asin, title, query, productCategory }: Product) => ({ asin, title, query, productCategory });

/** Pairs where options are named, values alone where they are listed. */
const optionsOf = (given: GoalRecord['goal_options']): GoalOption[] =>
  Array.isArray(given) ? [...(given as readonly string[])] : Object.entries(given);

/** Returns all combinations of values, with the names in their order; the last one's values change fastest. */
function combinations(options: Product['options']): (readonly [string, string])[][] {
  const names = [...options.keys()].sort((a, b) => (a < b ? -1 : 1));
  let made: (readonly [string, string])[][] = [[]];
  for (const name of names)
    made = made.flatMap((chosen) => options.get(name)!.map((value) => [...chosen, [name, value] as const]));
  return made;
}

function idsOf(products: ProductStore, asins: readonly string[]): number[] {
  const ids = asins.map((asin) => products.idOf(asin)).filter((id) => id !== undefined);
  return ids.sort((a, b) => a - b);
}
