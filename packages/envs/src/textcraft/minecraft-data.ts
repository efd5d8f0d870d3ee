// Reads recipes from a version's folder of the npm package minecraft-data (PrismarineJS, MIT), such as data/pc/1.20:
// recipes.json by the result's item id, items.json and blocks.json with each id's name. Its schemas have more fields than are
// used here.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, readList, readRecord, RecipeFileError } from './recipe-json.js';
import type { Ingredient, Recipe } from './recipe.js';

const RECIPES = 'recipes.json';
const ITEMS = 'items.json';
const BLOCKS = 'blocks.json';

export const isMinecraftDataFolder = (path: string): boolean =>
  existsSync(join(path, RECIPES)) && existsSync(join(path, ITEMS));

/**
 * Returns every recipe of the folder once, by the result's id and then in the file's order. Ingredients are plain items: the package has
 * no tags, each kind that will do is a recipe of its own. Recipes with an id that the folder does not name (the package has a few)
 * are passed over; so is what is left behind, such as a cake's empty buckets, of which TextCraft knows nothing.
 */
export function readMinecraftData(path: string): Recipe[] {
  const names = new ItemNames(path);
  const file = join(path, RECIPES);
  const recipes = new Map<string, Recipe>();
  // JavaScript puts integer keys of an object first, in rising order.
  for (const [id, alternatives] of Object.entries(readRecord(file))) {
    if (!Array.isArray(alternatives)) {
      throw new RecipeFileError(
        file,
        `has no list at '${id}'; the package's bedrock folders are not read, its pc folders are`,
      );
    }
    for (const [i, json] of alternatives.entries()) {
      const recipe = recipeOf(json, names, `${file} ${id}[${i}]`);
      if (recipe === null) continue;
      const key = keyOf(recipe);
      if (!recipes.has(key)) recipes.set(key, recipe);
    }
  }
  return [...recipes.values()];
}

/** Reads a recipe; null for one that makes nothing new: an id without a name, an empty result, or a copy (a smithing template's recipe needs one). */
function recipeOf(json: unknown, names: ItemNames, place: string): Recipe | null {
  if (!isRecord(json)) throw new RecipeFileError(place, 'is not a JSON object');
  const { result, inShape, ingredients } = json;
  const cells: unknown = Array.isArray(inShape) ? inShape.flat() : ingredients;
  if (!Array.isArray(cells)) throw new RecipeFileError(place, 'has neither inShape nor ingredients');
  const output = stack(result, place);
  if (output === null) throw new RecipeFileError(place, 'has no result');
  const needed = cells.map((cell) => stack(cell, place)).filter((cell) => cell !== null);
  // The package writes Minecraft's special recipes, such as a firework's, as 0 of air.
  if (output.count === 0) return null;
  if (needed.length === 0) throw new RecipeFileError(place, 'has no ingredient');
  if ([output, ...needed].some((one) => !names.has(one.id))) return null;
  if (needed.some((one) => one.id === output.id && one.metadata === output.metadata)) return null;
  const counts = new Map<string, number>();
  for (const one of needed) {
    const name = names.nameOf(one);
    counts.set(name, (counts.get(name) ?? 0) + one.count);
  }
  return {
    output: names.nameOf(output),
    count: output.count,
    group: null,
    ingredients: [...counts].map(([name, count]): Ingredient => ({ name, isTag: false, count })),
  };
}

/** Returns the key of a recipe; mirrored shapes, such as an axe's, have the same. */
const keyOf = ({ output, count, ingredients }: Recipe): string =>
  [`${count} ${output}`, ...ingredients.map((one) => `${one.count} ${one.name}`).sort()].join(', ');

/** An item and its count. Before Minecraft 1.13 the kinds of an item (its colours, woods, …) share an id, and `metadata` distinguishes them. */
interface Stack {
  id: number;
  metadata: number;
  count: number;
}

/** Returns an item in one of the schema's three forms: id, [id, metadata], {id, metadata, count}. Null for an empty place. */
function stack(cell: unknown, place: string): Stack | null {
  const [listedId, listedMetadata] = Array.isArray(cell) ? (cell as unknown[]) : [cell, 0];
  const { id, metadata = 0, count = 1 } = isRecord(cell) ? cell : { id: listedId, metadata: listedMetadata };
  if (id === null || id === undefined) return null;
  if (!isWhole(id, 0) || !isWhole(metadata, 0) || !isWhole(count, 0)) {
    throw new RecipeFileError(
      place,
      `has ${JSON.stringify(cell)}, which is not id, [id, metadata] or {id, metadata, count}`,
    );
  }
  return { id, metadata, count };
}

const isWhole = (value: unknown, least: number): value is number => Number.isInteger(value) && Number(value) >= least;

/** The names of ids: of items, or of blocks, for which older versions have recipes too. */
class ItemNames {
  readonly #names = new Map<number, string>();
  /** Names by "id metadata": "Polished Andesite" of stone is polished_andesite, unless that names another item too. */
  readonly #kinds = new Map<string, string>();

  constructor(path: string) {
    const taken = new Map<string, number>();
    const count = (name: string) => taken.set(name, (taken.get(name) ?? 0) + 1);
    const items = readNamed(join(path, ITEMS));
    const blocks = existsSync(join(path, BLOCKS)) ? readNamed(join(path, BLOCKS)) : [];
    // Items come last: an id of both is the item's.
    for (const { id, name } of [...blocks, ...items]) this.#names.set(id, name);
    for (const name of new Set(this.#names.values())) count(name);
    const kinds = items.flatMap(({ id, variations }) => variations.map((kind) => ({ id, ...kind })));
    for (const { name } of kinds) count(name);
    for (const { id, metadata, name } of kinds) if (taken.get(name) === 1) this.#kinds.set(`${id} ${metadata}`, name);
  }

  has = (id: number): boolean => this.#names.has(id);

  /** Returns the name of an item. The first kind has the item's own name; a kind without a name of its own is numbered, "planks_5". */
  nameOf({ id, metadata }: Stack): string {
    const name = this.#names.get(id)!;
    return metadata === 0 ? name : (this.#kinds.get(`${id} ${metadata}`) ?? `${name}_${metadata}`);
  }
}

interface Named {
  id: number;
  name: string;
  variations: { metadata: number; name: string }[];
}

function readNamed(path: string): Named[] {
  return readList(path).map((entry, i) => {
    if (!isRecord(entry) || !isWhole(entry.id, 0) || typeof entry.name !== 'string') {
      throw new RecipeFileError(`${path} [${i}]`, 'is not {"id": 1, "name": "stone"}');
    }
    const variations = Array.isArray(entry.variations) ? entry.variations : [];
    return { id: entry.id, name: entry.name, variations: variations.flatMap(kindOf) };
  });
}

/** Reads the kinds: {"metadata": 6, "displayName": "Polished Andesite"}; the first kind, 0, needs no name. */
function kindOf(variation: unknown): { metadata: number; name: string }[] {
  if (!isRecord(variation) || !isWhole(variation.metadata, 1) || typeof variation.displayName !== 'string') return [];
  return [{ metadata: variation.metadata, name: variation.displayName.toLowerCase().replaceAll(/\W+/g, '_') }];
}
