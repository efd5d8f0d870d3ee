// Makes the goals of customers, and WebShop's own goals in the order of its servers.
// Source: WebShop's goals at 64fa2a5, AgentGym's fork of them at 3ef9235. Differs from it: the price caps of human goals are
// drawn with a seed; WebShop draws them without one.
import { maximum } from '@bowyer/core';
import { PythonRandom } from '../cpython/random.js';
import type { Product } from './product.js';
import type { ProductStore } from './product-store.js';

/** A value to choose, or an option's name with its value. */
type GoalOption = string | readonly [name: string, value: string];

export interface Goal {
  asin: string;
  title: string;
  query: string;
  productCategory: string;
  instruction: string;
  attributes: string[];
  options: GoalOption[];
  /** The largest price in dollars. */
  priceCap: number;
}

/** Human instructions by asin: WebShop's items_human_ins file. */
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

/** A goal in the form in which WebShop's servers print it on the last page. */
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

/** The largest price cap in dollars. Caps are multiples of ten, and a price has at most four. */
const HIGHEST_CAP = 990;
const CAPS = 4;
const NO_CAP = 1_000_000;

/** The seed with which WebShop draws caps and shuffles goals. */
const SEED = 233;

/** Returns the next four multiples of 10 above the price, up to the largest cap; empty if there are fewer than two. */
function capsAbove(price: number): number[] {
  const first = (Math.floor(price / 10) + 1) * 10;
  const caps = Array.from({ length: CAPS }, (_, i) => first + 10 * i).filter((cap) => cap <= HIGHEST_CAP);
  return caps.length < 2 ? [] : caps;
}

/** Draws a price cap in dollars: the larger of two caps that are sampled. */
export function drawPriceCap(price: number, random: Pick<PythonRandom, 'sample'>): number {
  const caps = capsAbove(price);
  return caps.length === 0 ? NO_CAP : maximum(random.sample(caps, 2));
}

/** Returns the request with its price limit. */
export const withCap = (instruction: string, cap: number): string =>
  cap === NO_CAP ? instruction : `${instruction}, and price lower than ${cap.toFixed(2)} dollars`;

/** Shuffles goals as WebShop does, so that goal k is the goal of session k on its servers. */
function inServerOrder(goals: Goal[]): Goal[] {
  new PythonRandom(SEED).shuffle(goals);
  return goals;
}

/**
 * Returns one goal for each instruction with attributes, in the order of WebShop's servers.
 * @param everyCap whether there is one goal for each of the caps, as in AgentGym's fork, instead of one with a drawn cap
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

/** Returns four caps; like AgentGym's fork also if the price has none. */
function allCaps(price: number): number[] {
  const caps = capsAbove(price);
  return caps.length === 0 ? Array<number>(CAPS).fill(NO_CAP) : caps;
}

/** Makes goals for each product with an instruction: one for every combination of its options, all with the same cap. */
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

/** Converts goals that a server printed, in its order. null is an unknown goal. */
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

/** Returns pairs if options are named, else values. */
const optionsOf = (given: GoalRecord['goal_options']): GoalOption[] =>
  Array.isArray(given) ? [...(given as readonly string[])] : Object.entries(given);

/** Returns all combinations of values. Names are sorted, and the last one's values change fastest. */
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
