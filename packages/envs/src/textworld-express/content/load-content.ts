// Reads the content of the TextWorldExpress games from a folder with two JSON files in TextWorldExpress's format.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@bowyer/core';
import { folds } from '../parameters.js';
import { makeContent, type Content, type FoodFile, type ObjectFile } from './content.js';

const foodFileName = 'cooking_world.json';
const objectFileName = 'twc_objects.folds.json';

class ContentFileError extends Error {
  override readonly name = 'ContentFileError';

  constructor(
    readonly path: string,
    complaint: string,
    options?: ErrorOptions,
  ) {
    super(
      `Cannot use the content file ${path}: ${complaint}\n` +
        `  contentDir must contain ${foodFileName} and ${objectFileName} in TextWorldExpress's form;` +
        ` leave contentDir out to play with the built-in content.`,
      options,
    );
  }
}

const loaded = new Map<string, Content>();

/** Reads the content in a folder. A folder is read only once per process. */
export function loadContent(contentDir: string): Content {
  const known = loaded.get(contentDir);
  if (known !== undefined) return known;
  const foods = readFoods(join(contentDir, foodFileName));
  const objects = readObjects(join(contentDir, objectFileName));
  const content = makeContent(foods, objects, true);
  loaded.set(contentDir, content);
  return content;
}

function readFoods(path: string): FoodFile {
  const file = readJson(path) as Partial<FoodFile>;
  for (const key of ['FOOD_PREPARATIONS_SPLITS', 'FOODS_COMPACT'] as const) {
    if (!isRecord(file[key])) throw new ContentFileError(path, `the key ${key} is missing`);
  }
  return file as FoodFile;
}

function readObjects(path: string): ObjectFile {
  const file = readJson(path) as Partial<ObjectFile>;
  for (const key of folds.map((fold) => (fold === 'dev' ? 'valid' : fold))) {
    if (!isRecord(file[key])) throw new ContentFileError(path, `the key ${key} is missing`);
  }
  return file as ObjectFile;
}

function readJson(path: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(value)) return value;
  } catch (error) {
    throw new ContentFileError(path, (error as Error).message, { cause: error });
  }
  throw new ContentFileError(path, 'it does not contain a JSON object');
}
