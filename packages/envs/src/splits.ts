// Divides an environment's items (goals, worlds, words) into splits: for training, choice of checkpoint, and final test.
import { hash32, Rng } from '@bowyer/core';
import { EnvContractError, type WrappingEnv } from './contract/checked-env.js';
import type { Env, ResetResult, Split, StepResult } from './contract/env.js';
import { shown } from './contract/shown.js';

export const splits: readonly Split[] = ['train', 'eval', 'test'];

export interface EpisodeOfSplit {
  split: Split;
  /** The seed of the episode, from which its item and all random numbers follow. */
  seed: number;
  /** The number of the episode in an evaluation, whose episodes cover all items evenly; without it, the seed draws the item. */
  episode?: number;
}

/** The item (goal, world, word) that an episode plays, and the options with which `reset` plays it. */
export interface ItemChoice {
  reset: { seed: number } & Record<string, unknown>;
  /** The id of the item, or a function that returns it from the `info` of the reset. */
  item: string | ((info: Record<string, unknown>) => string);
}

/** The plan by which an environment with certain options divides its items into splits. */
export interface SplitPlan {
  /** The word for the items in reports, in the plural: "goals". */
  noun: string;
  /** Whether all splits have the same items. A test then plays new episodes, but no items that were not trained on. */
  shared: boolean;
  /** Returns the number of items of a split; null if every seed makes a new item. */
  count(split: Split): number | null;
  choose(episode: EpisodeOfSplit): ItemChoice;
  /** Returns the only split that has the item with this id; undefined if no split has it. */
  splitOf?(item: string): Split | undefined;
}

/** The division of an environment's items. `seeds`: every seed makes its own item, and the seeds are divided. */
// oxlint-disable-next-line typescript/no-explicit-any -- a unit's own options; the registry checks them against its schema
export type Splits<Options = any> = 'seeds' | ((options: Options) => SplitPlan);

/** The shares of the items, in tenths, that go to the evaluation and to the test; all others are for training. */
const TENTHS = { eval: 1, test: 2 } as const;

/** Fewer items are shared by all splits: a small test set would measure little, and too few would remain for training. */
const SMALLEST_DIVIDED = 50;

/** The seed with which items are divided into splits. It is constant, so that the splits are the same in every run. */
const DIVISION_SEED = 1;

export function splitOfSeed(seed: number): Split {
  const tenth = hash32(`split/${seed}`) % 10;
  if (tenth < TENTHS.eval) return 'eval';
  return tenth < TENTHS.eval + TENTHS.test ? 'test' : 'train';
}

/** Returns the seed itself if it belongs to the split, else a seed of the split that is derived from it. */
export function seedOfSplit(split: Split, seed: number): number {
  let candidate = seed;
  while (splitOfSeed(candidate) !== split) candidate = hash32(`${split}/${candidate}`);
  return candidate;
}

/** Returns a plan in which every seed is an item of its own, such as a world that is generated from it. */
export const seedSplits = (noun = 'worlds'): SplitPlan => ({
  noun,
  shared: false,
  count: () => null,
  choose: ({ split, seed }) => {
    const own = seedOfSplit(split, seed);
    return { reset: { seed: own }, item: `seed ${own}` };
  },
  splitOf: (item) => (/^seed \d+$/.test(item) ? splitOfSeed(Number(item.slice('seed '.length))) : undefined),
});

interface SharedItems {
  noun: string;
  count: number | null;
  item: (info: Record<string, unknown>) => string;
  /** Returns options of `reset` for an episode, in addition to the seed. */
  reset?: (episode: EpisodeOfSplit) => Record<string, unknown>;
}

/** Returns a plan in which all splits play the same items with different seeds. */
export const sharedSplits = ({ noun, count, item, reset }: SharedItems): SplitPlan => ({
  noun,
  shared: true,
  count: () => count,
  choose: (episode) => ({ reset: { seed: episode.seed, ...reset?.(episode) }, item }),
});

interface ListedItems<T> {
  noun: string;
  /** All items, which the plan divides, or the items of each split. */
  items: readonly T[] | Readonly<Record<Split, readonly T[]>>;
  /** Returns the options of `reset`, in addition to the seed, with which an item is played. */
  reset: (item: T, split: Split) => Record<string, unknown>;
  id?: (item: T) => string;
  /** Whether an item is played. The items are divided before, so that this changes no item's split. Default: all are. */
  where?: (item: T) => boolean;
}

/** Returns a plan for a list of items, which all splits share if the list is short. An evaluation plays its items evenly. */
export function listedSplits<T>({ noun, items, reset, id = String, where = () => true }: ListedItems<T>): SplitPlan {
  const isList = (given: typeof items): given is readonly T[] => Array.isArray(given);
  const shared = isList(items) && items.length < SMALLEST_DIVIDED;
  const all: Readonly<Record<Split, readonly T[]>> = !isList(items)
    ? items
    : shared
      ? { train: items, eval: items, test: items }
      : divided(items);
  const of = { train: all.train.filter(where), eval: all.eval.filter(where), test: all.test.filter(where) };
  return {
    noun,
    shared,
    count: (split) => of[split].length,
    splitOf: (item) => (shared ? undefined : splits.find((split) => of[split].some((own) => id(own) === item))),
    choose: ({ split, seed, episode }) => {
      const item =
        episode === undefined ? Rng.forPurpose(seed, 'item').choice(of[split]) : of[split][episode % of[split].length];
      return { reset: { seed, ...reset(item, split) }, item: id(item) };
    },
  };
}

/** Divides items into splits. The same items in the same order are always divided in the same way. */
export function divided<T>(items: readonly T[]): Record<Split, T[]> {
  const shuffled = new Rng(DIVISION_SEED).shuffle(items);
  const first = Math.max(1, Math.round((items.length * TENTHS.eval) / 10));
  const second = first + Math.max(1, Math.round((items.length * TENTHS.test) / 10));
  return { eval: shuffled.slice(0, first), test: shuffled.slice(first, second), train: shuffled.slice(second) };
}

/** Describes for tables of results what kind of items a test with this plan plays. */
export const testedOn = ({ noun, shared }: Pick<SplitPlan, 'noun' | 'shared'>): string =>
  shared ? `same ${noun}, new games` : `held-out ${noun}`;

/** An environment that plays only the items of one split. The `info` of each reset has the item's id. */
export class SplitEnv implements WrappingEnv {
  #rng = new Rng(0);

  constructor(
    readonly inner: Env,
    private readonly plan: SplitPlan,
    private readonly split: Split,
  ) {
    const count: unknown = plan.count(split);
    if (count !== null && !(Number.isInteger(count) && (count as number) >= 0))
      throw brokenPlan(plan, `count('${split}') must be an integer, or null if there is no end; got ${shown(count)}`);
    if (count === 0) throw new RangeError(`the ${split} split has no ${plan.noun}: give more of them`);
  }

  async reset({ seed, episode }: { seed?: number; episode?: number } = {}): Promise<ResetResult> {
    if (seed !== undefined) this.#rng = new Rng(seed);
    const chosen = chosenItem(this.plan, { split: this.split, seed: seed ?? this.#rng.uint32(), episode });
    const { observation, info } = await this.inner.reset(chosen.reset);
    const item: unknown = typeof chosen.item === 'string' ? chosen.item : chosen.item(info);
    if (typeof item !== 'string') throw brokenPlan(this.plan, `item(info) must return a text; got ${shown(item)}`);
    return { observation, info: { ...info, item } };
  }

  step(action: string): Promise<StepResult> {
    return this.inner.step(action);
  }

  expertReply(): string | null {
    return this.inner.expertReply?.() ?? null;
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

function chosenItem(plan: SplitPlan, episode: EpisodeOfSplit): ItemChoice {
  const choice: unknown = plan.choose(episode);
  const { reset, item } = (choice ?? {}) as Partial<ItemChoice>;
  const place = `choose(${JSON.stringify(episode)})`;
  if (typeof reset?.seed !== 'number')
    throw brokenPlan(plan, `${place} must return reset: { seed, … }; got ${shown(reset)}`);
  if (typeof item !== 'string' && typeof item !== 'function')
    throw brokenPlan(plan, `${place} must return item, a text or a function; got ${shown(item)}`);
  return { reset, item };
}

const brokenPlan = ({ noun }: SplitPlan, what: string) => new EnvContractError([what], `splits of ${noun}`);

/** Returns the environment for an expert, by default with training items, so that no policy learns from test items. */
export const expertItems = (env: Env, plan: SplitPlan, split: Split = 'train'): Env => new SplitEnv(env, plan, split);
