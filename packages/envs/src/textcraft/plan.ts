// Plans how the expert reaches a goal in TextCraft, by the recipes with the fewest actions.
import type { CraftingTree } from './crafting-tree.js';
import { shown, type Ingredient, type Recipe } from './recipe.js';

/**
 * The order of the actions in a plan. `bottom_up`: ingredients come first. `top_down`: each craft is tried before its missing
 * ingredients are made, so that the environment's refusal names them. `craft_by_craft`: the ingredients of one craft come
 * directly before it, in the counts of its recipe, as the environment lists valid actions.
 */
export type PlanOrder = 'bottom_up' | 'top_down' | 'craft_by_craft';

export interface PlannedAction {
  action: string;
  /**
   * The thought before the action: the crafts in progress, from the goal to its missing ingredients, each with its recipe and the
   * counts in the inventory, and then the items to fetch, such as `torch using 1 coal, 1 stick have 1 coal; stick using 2 bamboo;
   * bamboo`.
   */
  thought: string;
}

interface Making {
  /** The recipe of the craft, such as `torch using 1 coal, 1 stick`. */
  recipe: string;
  needs: readonly { item: string; count: number }[];
  /** The number of elements at the start of `needs` for which items of the inventory are already reserved. */
  provided: number;
}

/** Returns the actions that make a goal. @param held the current inventory; default: empty */
export function craftingPlan(
  tree: CraftingTree,
  goal: string,
  order: PlanOrder = 'bottom_up',
  held: ReadonlyMap<string, number> = new Map(),
): PlannedAction[] {
  const plan = new Plan(tree, order, held);
  plan.provide(goal, 1);
  return plan.actions;
}

class Plan {
  readonly actions: PlannedAction[] = [];
  /** The crafts in progress: the goal's craft first, then that of its ingredient, and so on. */
  readonly #making: Making[] = [];
  /** The number of each item in the inventory that is not reserved for a craft in progress. */
  readonly #left: Map<string, number>;
  readonly #costs = new Map<string, number>();

  constructor(
    private readonly tree: CraftingTree,
    private readonly order: PlanOrder,
    held: ReadonlyMap<string, number>,
  ) {
    this.#left = new Map(held);
  }

  /** Reserves `count` of an item. Missing ones are fetched or crafted first. */
  provide(item: string, count: number): void {
    const lacking = count - (this.#left.get(item) ?? 0);
    if (lacking > 0) this.#make(item, lacking);
    this.#left.set(item, this.#left.get(item)! - count);
  }

  #make(item: string, count: number): void {
    const recipe = this.#cheapest(item);
    if (recipe === undefined) {
      this.#act(`get ${count} ${shown(item)}`, [shown(item)]);
      this.#add(item, count);
      return;
    }
    const crafts = Math.ceil(count / recipe.count);
    const [rounds, craftsEach] = this.order === 'craft_by_craft' ? [crafts, 1] : [1, crafts];
    const chosen = recipe.ingredients.map((ingredient) => ({
      item: this.#itemFor(ingredient),
      count: ingredient.count,
    }));
    const using = chosen.map((needed) => `${needed.count} ${shown(needed.item)}`).join(', ');
    const craft = `craft ${recipe.count} ${shown(item)} using ${using}`;
    const listed = recipe.ingredients.map((ingredient) => `${ingredient.count} ${shown(ingredient.name)}`).join(', ');
    const needs = chosen.map((needed) => ({ item: needed.item, count: needed.count * craftsEach }));
    const making = { recipe: `${shown(item)} using ${listed}`, needs, provided: 0 };
    this.#making.push(making);
    const lacks = chosen.some((needed) => (this.#left.get(needed.item) ?? 0) < needed.count);
    if (this.order === 'top_down' && lacks) this.#act(craft);
    for (let round = 0; round < rounds; round++) {
      for (making.provided = 0; making.provided < needs.length; making.provided++)
        this.provide(needs[making.provided].item, needs[making.provided].count);
      for (let i = 0; i < craftsEach; i++) {
        this.#act(craft);
        this.#add(item, recipe.count);
      }
    }
    this.#making.pop();
  }

  /** Appends an action to the plan. @param fetched the items at the end of its thought */
  #act(action: string, fetched: readonly string[] = []): void {
    const thought = [...this.#making.map((making) => this.#progress(making)), ...fetched].join('; ');
    this.actions.push({ action, thought });
  }

  #progress({ recipe, needs, provided }: Making): string {
    const held = needs.flatMap(({ item, count }, i) => {
      const there = i < provided ? count : Math.min(count, this.#left.get(item) ?? 0);
      return there > 0 ? [`${there} ${shown(item)}`] : [];
    });
    return held.length > 0 ? `${recipe} have ${held.join(', ')}` : recipe;
  }

  #add(item: string, count: number): void {
    this.#left.set(item, (this.#left.get(item) ?? 0) + count);
  }

  /** Returns the item to use for an ingredient; for a tag, the item with this tag that needs the fewest actions. */
  #itemFor({ name, isTag }: Ingredient): string {
    if (!isTag) return name;
    const members = this.tree.recipesFor(name).map(({ output }) => output);
    const fitting = members.filter((item) => this.tree.matches({ name, isTag, count: 1 }, item));
    return fitting.reduce((best, item) => (this.#cost(item) < this.#cost(best) ? item : best));
  }

  #cheapest(item: string): Recipe | undefined {
    const recipes = this.tree.recipes.get(item) ?? [];
    return recipes.reduce<Recipe | undefined>(
      (best, recipe) => (best === undefined || this.#costOf(recipe) < this.#costOf(best) ? recipe : best),
      undefined,
    );
  }

  /** Returns the number of actions that one craft of an item needs if the inventory is empty. */
  #cost(item: string): number {
    const known = this.#costs.get(item);
    if (known !== undefined) return known;
    this.#costs.set(item, Infinity); // excludes recipes that make an item from itself
    const recipe = this.#cheapest(item);
    const cost = recipe === undefined ? 1 : this.#costOf(recipe);
    this.#costs.set(item, cost);
    return cost;
  }

  #costOf({ ingredients }: Recipe): number {
    return 1 + ingredients.reduce((sum, ingredient) => sum + this.#cost(this.#itemFor(ingredient)), 0);
  }
}
