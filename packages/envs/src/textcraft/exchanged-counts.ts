// Variants of the game: the same recipes with the counts of others, so that counts can only be read, and not memorised.
import { Rng } from '@bowyer/core';
import type { Recipe } from './recipe.js';

/** The number of such variants. */
export const WORLDS = 64;

/** The largest count of an ingredient that must be crafted itself: more would take more actions than a game has. */
const MOST_CRAFTED = 4;

/**
 * Exchanges the counts of recipes with as many ingredients, so that the frequency of each count stays the same.
 *
 * @param world the variant's number, which decides the counts
 */
export function withExchangedCounts(recipes: readonly Recipe[], world: number): Recipe[] {
  const rng = Rng.forPurpose(world, 'counts of recipes');
  const crafted = new Set(recipes.flatMap(({ output, group }) => [output, group]));
  const asLongAs = (recipe: Recipe) =>
    recipes.filter((other) => other.ingredients.length === recipe.ingredients.length);
  return recipes.map((recipe) => {
    const { count, ingredients } = rng.choice(asLongAs(recipe));
    const needed = recipe.ingredients.map((ingredient, i) => ({
      ...ingredient,
      count: crafted.has(ingredient.name) ? Math.min(ingredients[i].count, MOST_CRAFTED) : ingredients[i].count,
    }));
    return { ...recipe, count, ingredients: needed };
  });
}
