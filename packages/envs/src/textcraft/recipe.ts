// Reads and writes recipes as TextCraft's commands, and as the lines of the built-in table of recipes.

/** An ingredient of a recipe: an item, or any item with a tag such as `planks`. Names have no prefix `minecraft:`. */
export interface Ingredient {
  name: string;
  isTag: boolean;
  count: number;
}

export interface Recipe {
  output: string;
  count: number;
  /** The tag of the output item, by which other recipes may name it as an ingredient; null if it has none. */
  group: string | null;
  ingredients: readonly Ingredient[];
}

/** Writes a recipe as the command that the environment lists: "craft 4 oak planks using 1 oak log". */
export function commandOf({ output, count, ingredients }: Recipe): string {
  const needed = ingredients.map((ingredient) => `${ingredient.count} ${shown(ingredient.name)}`);
  return `craft ${count} ${shown(output)} using ${needed.join(', ')}`;
}

/** Returns the name of an item as the game writes it, with spaces instead of underscores. */
export const shown = (name: string): string => name.replaceAll('_', ' ');

/** Writes a recipe as "3 oak_door (wooden_door) = 6 oak_planks, 1 #planks": the output's tag in parentheses; `#` marks a tag. */
export function recipeLine({ output, count, group, ingredients }: Recipe): string {
  const needed = ingredients.map(({ name, isTag, count }) => `${count} ${isTag ? '#' : ''}${name}`);
  return `${count} ${output}${group === null ? '' : ` (${group})`} = ${needed.join(', ')}`;
}

export function parseRecipeLine(line: string): Recipe {
  const match = /^(\d+) (\w+)(?: \((\w+)\))? = (.+)$/.exec(line);
  if (match === null)
    throw new Error(`textcraft: '${line}' is not a recipe such as '4 oak_planks (planks) = 1 #oak_logs'`);
  const [, count, output, group, needed] = match;
  const ingredients = needed.split(', ').map((text): Ingredient => {
    const [amount, name] = text.split(' ');
    return { name: name.replace('#', ''), isTag: name.startsWith('#'), count: Number(amount) };
  });
  return { output, count: Number(count), group: group ?? null, ingredients };
}
