// Reads and writes recipes in the form of TextCraft, and in the one-line form of the built-in table.

/** An ingredient of a recipe: an item, or any item with a tag. Names have no prefix `minecraft:`. */
export interface Ingredient {
  name: string;
  isTag: boolean;
  count: number;
}

export interface Recipe {
  output: string;
  count: number;
  /** The tag that the output has as an ingredient of other recipes. */
  group: string | null;
  ingredients: readonly Ingredient[];
}

/** Writes the command of a recipe as the environment lists it: "craft 4 oak planks using 1 oak log". */
export function commandOf({ output, count, ingredients }: Recipe): string {
  const needed = ingredients.map((ingredient) => `${ingredient.count} ${shown(ingredient.name)}`);
  return `craft ${count} ${shown(output)} using ${needed.join(', ')}`;
}

/** Writes the name of an item with spaces. */
export const shown = (name: string): string => name.replaceAll('_', ' ');

/** Writes a recipe on a line: "3 oak_door (wooden_door) = 6 oak_planks, 1 #planks". */
export function recipeLine({ output, count, group, ingredients }: Recipe): string {
  const needed = ingredients.map(({ name, isTag, count }) => `${count} ${isTag ? '#' : ''}${name}`);
  return `${count} ${output}${group === null ? '' : ` (${group})`} = ${needed.join(', ')}`;
}

/** Parses a line of `recipeLine`. */
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
