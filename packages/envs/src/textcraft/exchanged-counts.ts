// Made-up worlds: the same recipes with the counts of others, which can only be read.
import { Rng } from '@bowyer/core';
import type { Recipe } from './recipe.js';

/** Made-up worlds there are. */
export const WORLDS = 64;

/** The largest count of an ingredient that must be crafted itself: more would take more actions than a game has. */
const MOST_CRAFTED = 4;

/**
 * Each recipe has the counts of another one with as many ingredients, so that there are as many ones, sixes and nines as in the
 * real world.
 *
 * @param world its number, from which the counts follow
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
