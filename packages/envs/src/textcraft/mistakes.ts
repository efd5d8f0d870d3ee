// Draws deliberate mistakes of the expert, in the thought and the action, of the kinds that trained policies make. A policy that
// imitates these episodes learns to read the list of commands again after a refusal, and not to repeat a refused action.
import type { Rng } from '@bowyer/core';
import { reactLine } from '../agentgym/reply-rules.js';
import type { PlannedAction } from './plan.js';

/** The probability that the expert repeats the mistake once more, after each time. */
const REPEATED = 0.4;

/** Draws one deliberate mistake, perhaps repeated. @param listed the ingredients of each crafting command in the task */
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
 * Makes a mistaken thought and action. @param parts of the right thought: recipes with counts in the inventory, items to fetch
 */
type Mistake = (parts: readonly string[], action: string, listed: readonly string[], rng: Rng) => PlannedAction;

/** Confuses two commands: begins with one's ingredients, continues with another's, and fetches or crafts by this mixture. */
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

/** Tries to fetch an item that must be crafted. */
const skip: Mistake = (parts, action, listed, rng) => {
  const recipes = recipesOf(parts);
  if (recipes.length < 2) return splice(parts, action, listed, rng);
  const at = rng.integer(1, recipes.length - 1);
  return fetched(parts.slice(0, at).join('; '), `${rng.integer(1, 4)} ${recipeOf(parts[at]).item}`);
};

/** Tries to craft an item while ingredients are missing. */
const hurry: Mistake = (parts, _, __, rng) => {
  const at = rng.integer(0, recipesOf(parts).length - 1);
  const { recipe, item, ingredients } = recipeOf(parts[at]);
  return crafted([...parts.slice(0, at), recipe].join('; '), item, ingredients);
};

/** Tries to fetch an item of which one word is replaced by a word of another item's name. */
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
