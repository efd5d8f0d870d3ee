// Makes the goals of WebShop's customers: each is a wanted product with attributes, options and a price limit. The goals of
// WebShop's own files are in the order of its servers.
// Source: WebShop's goals at commit 64fa2a5, AgentGym's fork of them at 3ef9235. Differs from it: the price caps of human goals
// are drawn with a seed; WebShop draws them without one.
import { maximum } from '@bowyer/core';
import { PythonRandom } from '../cpython/random.js';
import type { Product } from './product.js';
import type { ProductStore } from './product-store.js';

/** An option that the customer wants: only a value, or the option's name and the value. */
type GoalOption = string | readonly [name: string, value: string];

export interface Goal {
  asin: string;
  title: string;
  query: string;
  productCategory: string;
  instruction: string;
  attributes: string[];
  options: GoalOption[];
  /** The largest price that the customer accepts, in dollars. */
  priceCap: number;
}

/** The instructions that people wrote, by the asin (product id): the content of WebShop's file items_human_ins. */
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

/** A goal in the format in which WebShop's servers print it on the last page. */
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

/** The largest price cap in dollars. Caps are multiples of ten, and each price has at most four possible caps. */
const HIGHEST_CAP = 990;
const CAPS = 4;
const NO_CAP = 1_000_000;

/** The seed with which WebShop draws price caps and shuffles goals. */
const SEED = 233;

/** Returns a price's four possible caps, the next multiples of 10, up to the largest; empty if there are fewer than two. */
function capsAbove(price: number): number[] {
  const first = (Math.floor(price / 10) + 1) * 10;
  const caps = Array.from({ length: CAPS }, (_, i) => first + 10 * i).filter((cap) => cap <= HIGHEST_CAP);
  return caps.length < 2 ? [] : caps;
}

/** Draws the price cap of a goal in dollars: the larger of two caps that are sampled without replacement. */
export function drawPriceCap(price: number, random: Pick<PythonRandom, 'sample'>): number {
  const caps = capsAbove(price);
  return caps.length === 0 ? NO_CAP : maximum(random.sample(caps, 2));
}

/** Returns the customer's instruction with the price limit added. */
export const withCap = (instruction: string, cap: number): string =>
  cap === NO_CAP ? instruction : `${instruction}, and price lower than ${cap.toFixed(2)} dollars`;

/** Shuffles goals in place as WebShop does, so that goal k is the goal of session k on WebShop's servers. */
function inServerOrder(goals: Goal[]): Goal[] {
  new PythonRandom(SEED).shuffle(goals);
  return goals;
}

/**
 * Returns a goal, or with `everyCap` one for each of four price caps as in AgentGym's fork, for each human instruction that has
 * attributes, in the order of WebShop's servers.
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

/** Returns the four caps of a price. If the price has no caps, the limit is absent from four goals, as in AgentGym's fork. */
function allCaps(price: number): number[] {
  const caps = capsAbove(price);
  return caps.length === 0 ? Array<number>(CAPS).fill(NO_CAP) : caps;
}

/** Makes goals from generated instructions: one for every combination of a product's options, all with the same price cap. */
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

/** Converts goals that a WebShop server printed, in the server's order. null stands for an unknown goal. */
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

/** Returns the options of a recorded goal: pairs of name and value if the record has names, else values. */
const optionsOf = (given: GoalRecord['goal_options']): GoalOption[] =>
  Array.isArray(given) ? [...(given as readonly string[])] : Object.entries(given);

/** Returns all combinations of option values. Names are sorted, and the values of the last name change fastest. */
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
