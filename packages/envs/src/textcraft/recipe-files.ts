// Reads TextCraft's recipes from files: a folder of Minecraft's JSON recipes, or JSON lines of {"file", "recipe"}.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@bowyer/core';
import { parsedRecord, readRecord, RecipeFileError } from './recipe-json.js';
import type { Ingredient, Recipe } from './recipe.js';

interface NamedFile {
  file: string;
  recipe: Record<string, unknown>;
}

const FORMS =
  "recipes must name a folder with Minecraft's recipe files (one *.json each, or a subfolder recipes/ of them) or a .jsonl file of them";

/**
 * Returns the crafting recipes of a folder (or its subfolder `recipes`) or a JSONL file; other kinds are skipped.
 *
 * @param order a file of recipes' file names, one per line, which determines the goals' numbers; null: sorted by name
 */
export function readRecipes(path: string, order: string | null): Recipe[] {
  if (!existsSync(path)) throw new RecipeFileError(path, `is not there; ${FORMS}`);
  const isFolder = statSync(path).isDirectory();
  const files = isFolder ? readFolder(path) : readLines(path);
  const recipes = ordered(files, order).flatMap(({ file, recipe }) => craftingRecipe(recipe, `${path} ${file}`) ?? []);
  if (recipes.length === 0) {
    const found = isFolder ? ` (found: ${contentsOf(path)}); ${FORMS}` : '';
    throw new RecipeFileError(path, `contains no crafting recipe${found}`);
  }
  return recipes;
}

/** Describes the files of a folder for an error message: "blocks.json, foods.json, … (12 in all)". */
function contentsOf(path: string): string {
  const names = readdirSync(path).sort();
  if (names.length === 0) return 'nothing';
  return `${names.slice(0, 5).join(', ')}${names.length > 5 ? `, … (${names.length} in all)` : ''}`;
}

function readFolder(path: string): NamedFile[] {
  const folder = existsSync(join(path, 'recipes')) ? join(path, 'recipes') : path;
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((file) => ({ file, recipe: readRecord(join(folder, file)) }));
}

function readLines(path: string): NamedFile[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line, i) => {
    const { file, recipe } = parsedRecord(line, `${path}:${i + 1}`);
    if (typeof file !== 'string' || !isRecord(recipe)) {
      throw new RecipeFileError(`${path}:${i + 1}`, 'is not {"file": "name.json", "recipe": {…}}');
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

/** Converts a recipe of Minecraft, with the first of alternative ingredients; returns null for other than crafting recipes. */
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
