// Draws mistaken thoughts, of kinds that policies have, and the action of each. A policy that imitates these episodes learns to
// read the list again after a refusal and not to repeat itself.
import type { Rng } from '@bowyer/core';
import { reactLine } from '../agentgym/reply-rules.js';
import type { PlannedAction } from './plan.js';

/** The probability that a mistake is repeated, each time. */
const REPEATED = 0.4;

/**
 * Draws one mistake, which may be repeated several times.
 *
 * @param listed the ingredients of each command of the task
 */
export function mistakes(
  { thought, action }: PlannedAction,
  listed: readonly string[],
  rng: Rng,
): { action: string; reply: string }[] {
  const wrong = rng.choice([splice, skip, hurry, misname])(thought.split('; '), action, listed, rng);
  const mistake = { action: wrong.action, reply: reactLine(wrong.thought, wrong.action) };
  const said = [mistake];
  while (rng.uniform() < REPEATED) said.push(mistake);
  return said;
}

/**
 * Makes a mistaken thought and its action.
 *
 * @param parts of the thought: recipes with the inventory's counts, and items to fetch
 */
type Mistake = (parts: readonly string[], action: string, listed: readonly string[], rng: Rng) => PlannedAction;

/** Confuses two commands: the ingredients of one are continued with those of another, and are fetched or crafted. */
const splice: Mistake = (parts, _, listed, rng) => {
  const at = rng.integer(0, recipesOf(parts).length - 1);
  const { item, ingredients } = recipeOf(parts[at]);
  const others = rng.choice(listed).split(', ');
  const kept = ingredients.slice(0, rng.integer(0, ingredients.length));
  const using = [...kept, ...others.slice(rng.integer(0, others.length - 1))];
  const recipe = [...parts.slice(0, at), `${item} using ${using.join(', ')}`].join('; ');
  if (rng.uniform() < 0.5) return crafted(recipe, item, using);
  return fetched(recipe, rng.choice(using));
};

/** Fetches an item that has a recipe. */
const skip: Mistake = (parts, action, listed, rng) => {
  const recipes = recipesOf(parts);
  if (recipes.length < 2) return splice(parts, action, listed, rng);
  const at = rng.integer(1, recipes.length - 1);
  return fetched(parts.slice(0, at).join('; '), `${rng.integer(1, 4)} ${recipeOf(parts[at]).item}`);
};

/** Crafts although ingredients are missing. */
const hurry: Mistake = (parts, _, __, rng) => {
  const at = rng.integer(0, recipesOf(parts).length - 1);
  const { recipe, item, ingredients } = recipeOf(parts[at]);
  return crafted([...parts.slice(0, at), recipe].join('; '), item, ingredients);
};

/** Fetches an item whose name has a word of another item. */
const misname: Mistake = (parts, action, listed, rng) => {
  const get = /^get (\d+) (.*)/.exec(action);
  if (get === null) return splice(parts, action, listed, rng);
  const words = get[2].split(' ');
  words[rng.integer(0, words.length - 1)] = rng.choice(
    rng
      .choice(listed)
      .split(/[ ,\d]+/)
      .filter(Boolean),
  );
  return fetched(recipesOf(parts).join('; '), `${get[1]} ${words.join(' ')}`);
};

const fetched = (recipes: string, counted: string): PlannedAction => ({
  thought: `${recipes}; ${counted.replace(/^\d+ /, '')}`,
  action: `get ${counted}`,
});

const crafted = (recipes: string, item: string, using: readonly string[]): PlannedAction => ({
  thought: `${recipes} have ${using.join(', ')}`,
  action: `craft 1 ${item} using ${using.join(', ')}`,
});

const recipesOf = (parts: readonly string[]) => parts.filter((part) => part.includes(' using '));

function recipeOf(part: string): { recipe: string; item: string; ingredients: string[] } {
  const [recipe] = part.split(' have ');
  const [item, using] = recipe.split(' using ');
  return { recipe, item, ingredients: using.split(', ') };
}
