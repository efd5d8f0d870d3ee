// Recipes from files: a folder of Minecraft's recipe JSON files, or a JSONL file with {"file", "recipe"} on each line.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Ingredient, Recipe } from './recipe.js';

interface NamedFile {
  file: string;
  recipe: Record<string, unknown>;
}

export class RecipeFileError extends Error {
  override readonly name = 'RecipeFileError';

  constructor(
    readonly path: string,
    problem: string,
  ) {
    super(`textcraft: ${path}: ${problem}`);
  }
}

/**
 * The crafting recipes of a folder (or its subfolder `recipes`) or JSONL file; other kinds of recipes are passed over.
 *
 * @param order file with a file name on each line; null: by name. The order decides which goal an index names.
 */
export function readRecipes(path: string, order: string | null): Recipe[] {
  if (!existsSync(path)) throw new RecipeFileError(path, 'is not there; recipes must name a folder or a .jsonl file');
  const files = statSync(path).isDirectory() ? readFolder(path) : readLines(path);
  const recipes = ordered(files, order).flatMap(({ file, recipe }) => {
    const read = craftingRecipe(recipe, `${path} ${file}`);
    return read === null ? [] : [read];
  });
  if (recipes.length === 0) throw new RecipeFileError(path, 'holds no crafting recipe');
  return recipes;
}

function readFolder(path: string): NamedFile[] {
  const folder = existsSync(join(path, 'recipes')) ? join(path, 'recipes') : path;
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((file) => ({ file, recipe: parsed(readFileSync(join(folder, file), 'utf8'), join(folder, file)) }));
}

function readLines(path: string): NamedFile[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line, i) => {
    const { file, recipe } = parsed(line, `${path}:${i + 1}`);
    if (typeof file !== 'string' || !isRecord(recipe)) {
      throw new RecipeFileError(`${path}:${i + 1}`, 'is no {"file": "name.json", "recipe": {…}}');
    }
    return { file, recipe };
  });
}

function ordered(files: NamedFile[], order: string | null): NamedFile[] {
  const sorted = files.sort((a, b) => (a.file < b.file ? -1 : 1));
  if (order === null) return sorted;
  const byName = new Map(sorted.map((file) => [file.file, file]));
  const names = readFileSync(order, 'utf8').trimEnd().split('\n');
  return names.map((name) => {
    const file = byName.get(name);
    if (file === undefined) throw new RecipeFileError(order, `names '${name}', which is not among the recipes`);
    return file;
  });
}

/** Null for what is not crafted (smelting and the like). Where several things will do, the first counts. */
function craftingRecipe(json: Record<string, unknown>, place: string): Recipe | null {
  const { type, result, group } = json;
  if (type !== 'minecraft:crafting_shaped' && type !== 'minecraft:crafting_shapeless') return null;
  const ingredients = type === 'minecraft:crafting_shaped' ? shaped(json, place) : shapeless(json, place);
  const { item, count } = isRecord(result) ? result : { item: result, count: 1 };
  if (typeof item !== 'string') throw new RecipeFileError(place, 'has no result');
  return {
    output: plain(item),
    count: Number(count ?? 1) || 1,
    group: typeof group === 'string' ? group : null,
    ingredients,
  };
}

function shaped({ pattern, key }: Record<string, unknown>, place: string): Ingredient[] {
  if (!Array.isArray(pattern) || !isRecord(key)) throw new RecipeFileError(place, 'has no pattern or no key');
  const letters = pattern.join('');
  return Object.entries(key).map(([letter, item]) => ({
    ...ingredient(item, place),
    count: letters.split(letter).length - 1,
  }));
}

function shapeless({ ingredients }: Record<string, unknown>, place: string): Ingredient[] {
  if (!Array.isArray(ingredients)) throw new RecipeFileError(place, 'has no ingredients');
  const byName = new Map<string, Ingredient>();
  for (const entry of ingredients) {
    const read = ingredient(entry, place);
    const count = (byName.get(read.name)?.count ?? 0) + 1;
    byName.set(read.name, { ...read, count });
  }
  return [...byName.values()];
}

function ingredient(entry: unknown, place: string): Omit<Ingredient, 'count'> {
  const first: unknown = Array.isArray(entry) ? entry[0] : entry;
  if (isRecord(first) && typeof first.item === 'string') return { name: plain(first.item), isTag: false };
  if (isRecord(first) && typeof first.tag === 'string') return { name: plain(first.tag), isTag: true };
  throw new RecipeFileError(place, `has an ingredient that is neither item nor tag: ${JSON.stringify(entry)}`);
}

const plain = (id: string) => id.replace('minecraft:', '');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Told below.
  }
  throw new RecipeFileError(place, 'is no JSON object');
}
