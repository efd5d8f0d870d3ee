// Plays the environment `textcraft`: the agent crafts an item by listed recipes, from items that it can fetch. Source: ADaPT
// (Prasad et al. 2023, arXiv:2311.05772) in the variant that AgentGym's server plays; see textcraft.md.
import { Rng } from '@bowyer/core';
import type { ResetResult, ResumableEnv, StepResult } from '../contract/env.js';
import { fromDataFile } from '../data-file.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { PythonRandom } from '../cpython/random.js';
import { stringSetOrder } from '../cpython/string-set.js';
import { commandsOf, CraftingTree } from './crafting-tree.js';
import { craftingPlan, type PlannedAction } from './plan.js';
import { readRecipes } from './recipe-files.js';
import { parseRecipeLine, shown, type Recipe } from './recipe.js';
import type { TextCraftOptions } from './options.js';
import { Workshop } from './workshop.js';

/**
 * The `info` of a reset and of every step. `goal` is the item to craft; `depth` is the number of crafts on the longest path from
 * items that can be fetched to the goal; `inventory` has the counts by item in the notation of recipes' ingredients.
 */
export interface TextCraftInfo extends Record<string, unknown> {
  goal: string;
  depth: number;
  inventory: string;
  validActions: readonly string[];
  won: boolean;
}

/** A goal and its list of crafting commands: those that it needs, and some others that use the same items. */
interface Task {
  goal: string;
  depth: number;
  recipes: readonly Recipe[];
  text: string;
}

/** The seed with which AgentGym's server seeds Python's random generator before it draws a goal's list of commands. */
const COMMANDS_SEED = 42;
const USES_DRAWN = 10;

export class TextCraft implements ResumableEnv {
  readonly tree: CraftingTree;
  readonly #order = new EpisodeOrder('textcraft');
  readonly #goals: readonly [item: string, depth: number][];
  /** The indices of the goals from which an episode's seed draws one. */
  readonly #drawn: readonly number[];
  readonly #tasks = new Map<number, Task>();
  #rng = new Rng(0);
  #task: Task;
  #workshop: Workshop;
  #turn = 0;
  #history = '';

  constructor(private readonly options: TextCraftOptions) {
    this.tree = treeOf(options);
    this.#goals = this.tree.goals();
    this.#drawn = drawnGoals(options);
    this.#task = this.#taskOf(this.#drawn[0]);
    this.#workshop = new Workshop(this.tree);
  }

  /** Begins an episode. @param options.dataIdx the number of the goal, modulo the number of goals as on AgentGym's server */
  async reset({
    seed,
    dataIdx = this.options.goal ?? undefined,
  }: { seed?: number; dataIdx?: number } = {}): Promise<ResetResult> {
    this.#order.begin();
    if (seed !== undefined) this.#rng = new Rng(seed);
    const count = this.#goals.length;
    this.#task = this.#taskOf(
      dataIdx === undefined ? this.#rng.choice(this.#drawn) : ((dataIdx % count) + count) % count,
    );
    this.#workshop = new Workshop(this.tree);
    this.#turn = 0;
    this.#history = `${this.#task.text}\n`;
    return {
      observation: this.options.observation === 'turn' ? this.#task.text : this.#history,
      info: { ...this.#info(false), taskDescription: this.#task.text },
    };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const { text, made } = this.#workshop.act(action);
    const won = made === this.#task.goal;
    const truncated = !won && ++this.#turn >= this.options.stepLimit;
    if (won || truncated) this.#order.end();
    this.#history += `${action.split('\n', 1)[0].trim()}\n${text}\n`;
    const observation = this.options.observation === 'turn' ? text : this.#history;
    return { observation, reward: Number(won), terminated: won, truncated, info: this.#info(won) };
  }

  /** Returns the expert's next action, planned from the current inventory in the order `craft_by_craft` (plan.ts). */
  expertAction(): PlannedAction {
    return craftingPlan(this.tree, this.#task.goal, 'craft_by_craft', this.inventory)[0];
  }

  get inventory(): ReadonlyMap<string, number> {
    return this.#workshop.inventory;
  }

  expertReply(): string {
    return this.expertAction().action;
  }

  resume(): void {
    this.#order.resume();
  }

  async close(): Promise<void> {
    this.#order.close();
  }

  #taskOf(index: number): Task {
    let task = this.#tasks.get(index);
    if (task === undefined) this.#tasks.set(index, (task = this.#makeTask(...this.#goals[index])));
    return task;
  }

  /** Draws the commands of a goal as AgentGym's server does, in the order of a set in CPython. */
  #makeTask(goal: string, depth: number): Task {
    const random = new PythonRandom(COMMANDS_SEED);
    const recipes = this.tree.recipesBelow(goal);
    const others = recipes.flatMap(({ ingredients }) =>
      ingredients.flatMap(({ name }) => {
        const uses = this.tree.usesOf(name);
        return random.sample(uses, Math.min(uses.length, USES_DRAWN));
      }),
    );
    const needed = commandsOf(recipes);
    const distracting = stringSetOrder(commandsOf(others).filter((command) => !needed.includes(command)));
    const drawn = random.sample(distracting, Math.min(distracting.length, this.options.distractors));
    const commands = [...stringSetOrder(needed), ...drawn];
    random.shuffle(commands);
    return { goal, depth, recipes, text: `Crafting commands:\n${commands.join('\n')}\n\nGoal: craft ${shown(goal)}.` };
  }

  #info(won: boolean): TextCraftInfo {
    const { goal, depth } = this.#task;
    return { goal, depth, inventory: this.#inventoryText(), validActions: this.#validActions(), won };
  }

  #inventoryText(): string {
    const held = [...this.inventory].filter(([, count]) => count > 0);
    return held.length > 0 ? held.map(([item, count]) => `${count} ${shown(item)}`).join(', ') : 'nothing';
  }

  /** Returns the useful valid actions: fetching what a listed recipe needs, and crafting from the inventory. */
  #validActions(): string[] {
    const { inventory } = this.#workshop;
    const crafts: string[] = [];
    const gets: string[] = [];
    for (const { output, count, ingredients } of this.#task.recipes) {
      const using = ingredients.map((ingredient) => {
        if (!ingredient.isTag && !this.tree.isCraftable(ingredient.name))
          gets.push(`get ${ingredient.count} ${shown(ingredient.name)}`);
        const item = [...inventory].find(
          ([name, held]) => this.tree.matches(ingredient, name) && held >= ingredient.count,
        );
        return item === undefined ? null : `${ingredient.count} ${shown(item[0])}`;
      });
      if (!using.includes(null)) crafts.push(`craft ${count} ${shown(output)} using ${using.join(', ')}`);
    }
    return [...new Set([...crafts, ...gets, 'inventory'])];
  }
}

/** Returns the indices of the goals from which an episode's seed draws, by the requested depth. */
export function drawnGoals({ depth, ...options }: GoalOptions): number[] {
  const goals = treeOf(options).goals();
  const drawn = [...goals.keys()].filter((index) => depth === null || goals[index][1] === depth);
  if (drawn.length === 0) throw new RangeError(`textcraft: no goal has depth ${depth}`);
  return drawn;
}

/** Returns all item names as the game writes them, for a policy's vocabulary, since goals of other splits have other words. */
export const itemTexts = (options: TreeOptions): string[] =>
  treeOf(options)
    .names()
    .flatMap((name) => [`1 ${shown(name)}`, `minecraft:${name}`, `[${shown(name)}]`]);

type TreeOptions = Pick<TextCraftOptions, 'recipes' | 'recipeOrder'>;
type GoalOptions = Pick<TextCraftOptions, 'depth'> & TreeOptions;

/** The recipe trees that were read, by options. All environments share them, since a tree never changes. */
const trees = new Map<string, CraftingTree>();

function treeOf(options: TreeOptions): CraftingTree {
  const key = JSON.stringify([options.recipes, options.recipeOrder]);
  let tree = trees.get(key);
  if (tree === undefined) trees.set(key, (tree = new CraftingTree(recipesOf(options))));
  return tree;
}

const builtInRecipes = fromDataFile('textcraft/recipes.json', ({ recipes }: { recipes: string[] }) =>
  recipes.map(parseRecipeLine),
);

function recipesOf({ recipes, recipeOrder }: TreeOptions): Recipe[] {
  if (recipes === null && recipeOrder === null) return builtInRecipes();
  if (recipes === null)
    throw new RangeError('textcraft: recipe_order is given without recipes: the built-in recipes are ordered already');
  return readRecipes(recipes, recipeOrder);
}
