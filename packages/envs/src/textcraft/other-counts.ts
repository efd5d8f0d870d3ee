// Made-up worlds: the same recipes with other counts, which can only be read.
import { Rng } from '@bowyer/core';
import type { Recipe } from './recipe.js';

/** Made-up worlds there are. */
export const WORLDS = 64;

/** Of what must be crafted in turn: more would take more actions than a game has. */
const CRAFTED_COUNTS = [1, 1, 2, 2, 3, 4];
const OUTPUT_COUNTS = [1, 1, 2, 3, 4, 6];
const MOST_FETCHED = 9;

/** @param world its number, from which the counts follow */
export function withOtherCounts(recipes: readonly Recipe[], world: number): Recipe[] {
  const rng = Rng.forPurpose(world, 'counts of recipes');
  const crafted = new Set(recipes.flatMap(({ output, group }) => [output, group]));
  return recipes.map((recipe) => ({
    ...recipe,
    count: rng.choice(OUTPUT_COUNTS),
    ingredients: recipe.ingredients.map((needed) => ({
      ...needed,
      count: crafted.has(needed.name) ? rng.choice(CRAFTED_COUNTS) : rng.integer(1, MOST_FETCHED),
    })),
  }));
}
