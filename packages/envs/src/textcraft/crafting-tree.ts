// Finds the items of TextCraft that can be crafted, and their recipes, by the rules of AgentGym's server: the order in which
// recipes are read decides which of them are used.
import { maximum, minimum } from '@bowyer/core';
import { commandOf, type Ingredient, type Recipe } from './recipe.js';

/**
 * The largest number of recipes visited in a search for all that a goal needs; goals of the built-in recipes visit at most 163.
 */
const MOST_MET = 2000;

export class CraftingTree {
  /** The recipes by output item, in the order in which the items became craftable. */
  readonly recipes = new Map<string, Recipe[]>();
  /** The recipes by the tag of their output, such as `planks`, by which other recipes may name the item. */
  readonly tagRecipes = new Map<string, Recipe[]>();
  readonly #items = new Set<string>();
  readonly #tags = new Set<string>();
  readonly #tagOf = new Map<string, string>();
  readonly #depths = new Map<string, number>();
  #uses: Map<string, Recipe[]> | undefined;

  constructor(recipes: readonly Recipe[]) {
    // The items that each output needs, directly or indirectly, by the recipes that have been read so far.
    const needs = new Map<string, Set<string>>();
    for (const recipe of recipes) this.#read(recipe, needs);
    this.#makeUncraftableTagsItems();
  }

  isItem = (name: string): boolean => this.#items.has(name);
  isTag = (name: string): boolean => this.#tags.has(name);
  isCraftable = (name: string): boolean => this.recipes.has(name) || this.tagRecipes.has(name);

  names = (): string[] => [...this.#items, ...this.#tags];

  /** Returns whether an item can be used as an ingredient: it has the ingredient's name, or its tag. */
  matches({ name, isTag }: Ingredient, item: string): boolean {
    return isTag ? this.#tagOf.get(item) === name : item === name;
  }

  recipesFor(name: string): readonly Recipe[] {
    return this.recipes.get(name) ?? this.tagRecipes.get(name) ?? [];
  }

  /** Returns the craftable items by ascending depth. An item's index is the number of the goal, AgentGym's data_idx. */
  goals(): [item: string, depth: number][] {
    const items = [...this.recipes.keys()].map((item): [string, number] => [item, this.depth(item)]);
    return items.filter(([, depth]) => depth >= 1 && depth < Infinity).sort(([, a], [, b]) => a - b);
  }

  /**
   * Returns the depth of an item: the number of crafts on the longest path from items that can be fetched to this item, with
   * recipes chosen so that it is smallest; 0 for an item that can be fetched.
   */
  depth(name: string): number {
    const known = this.#depths.get(name);
    if (known !== undefined) return known;
    const recipes = this.recipesFor(name);
    // The depth counts as infinite while it is computed, which excludes recipes that need their own product.
    this.#depths.set(name, Infinity);
    const depths = recipes.map(({ ingredients }) => maximum(ingredients.map((needed) => this.depth(needed.name) + 1)));
    const least = recipes.length === 0 ? 0 : minimum(depths);
    this.#depths.set(name, least);
    return least;
  }

  /**
   * Returns every recipe on every path from an item to items that can be fetched, with repetitions; if there are too many paths
   * (sixteen colours that dye into each other give 2¹⁵), every needed item's recipes once.
   */
  recipesBelow(name: string): Recipe[] {
    const met: Recipe[] = [];
    return this.#meet(name, new Set(), met) ? met : this.#recipesBelowOnce(name);
  }

  /** Appends the recipes of an item and of all its ingredients to `met`. @returns false if there are too many */
  #meet(name: string, path: ReadonlySet<string>, met: Recipe[]): boolean {
    if (path.has(name)) return true;
    const recipes = this.recipesFor(name);
    met.push(...recipes);
    if (met.length > MOST_MET) return false;
    const below = new Set(path).add(name);
    return recipes.every(({ ingredients }) => ingredients.every((item) => this.#meet(item.name, below, met)));
  }

  #recipesBelowOnce(name: string): Recipe[] {
    const reached = new Set([name]);
    const met: Recipe[] = [];
    // A loop over a set also visits elements that are added during the loop, so that all ingredients are reached.
    for (const item of reached) {
      const recipes = this.recipesFor(item);
      met.push(...recipes);
      for (const { ingredients } of recipes) for (const needed of ingredients) reached.add(needed.name);
    }
    return met;
  }

  /** Returns the recipes that use an item. One whose output has a tag is listed twice, as on AgentGym's server. */
  usesOf(name: string): readonly Recipe[] {
    this.#uses ??= this.#collectUses();
    return this.#uses.get(name) ?? [];
  }

  #collectUses(): Map<string, Recipe[]> {
    const uses = new Map<string, Recipe[]>();
    for (const recipe of [...this.recipes.values(), ...this.tagRecipes.values()].flat()) {
      for (const { name } of recipe.ingredients) addTo(uses, name, recipe);
    }
    return uses;
  }

  #read(read: Recipe, needs: Map<string, Set<string>>): void {
    // The recipe is copied, since its ingredients may be changed by `#makeUncraftableTagsItems`.
    const recipe = { ...read, ingredients: read.ingredients.map((ingredient) => ({ ...ingredient })) };
    const { output, group, ingredients } = recipe;
    for (const { name, isTag } of ingredients) (isTag ? this.#tags : this.#items).add(name);
    this.#items.add(output);
    if (ingredients.length === 1 && ingredients[0].name.endsWith('_block')) return;
    if (group !== null && group !== output) {
      this.#tags.add(group);
      this.#tagOf.set(output, group);
    }
    const needed = needs.get(output) ?? new Set();
    needs.set(output, needed);
    if (ingredients.some(({ name }) => needs.get(name)?.has(output))) return;
    addTo(this.recipes, output, recipe);
    if (group !== null) addTo(this.tagRecipes, group, recipe);
    for (const { name } of ingredients) {
      needed.add(name);
      for (const deeper of needs.get(name) ?? []) needed.add(deeper);
    }
  }

  /** Converts each tag to an item of the same name, which can be fetched, if no item with this tag can be crafted. */
  #makeUncraftableTagsItems(): void {
    const craftableTags = new Set([...this.#tagOf].filter(([item]) => this.recipes.has(item)).map(([, tag]) => tag));
    const becameItems = new Set<string>();
    for (const { ingredients } of [...this.recipes.values()].flat()) {
      for (const ingredient of ingredients as Ingredient[]) {
        if (!ingredient.isTag || craftableTags.has(ingredient.name)) continue;
        ingredient.isTag = false;
        becameItems.add(ingredient.name);
      }
    }
    for (const name of becameItems) {
      this.#items.add(name);
      this.#tags.delete(name);
    }
  }
}

function addTo(lists: Map<string, Recipe[]>, name: string, recipe: Recipe): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [recipe]);
  else list.push(recipe);
}

/** Returns the crafting commands of recipes, without repetitions. */
export const commandsOf = (recipes: readonly Recipe[]): string[] => [...new Set(recipes.map(commandOf))];
