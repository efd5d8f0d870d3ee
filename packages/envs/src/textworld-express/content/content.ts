// Defines the content of the TextWorldExpress games for each fold: foods, household objects, and where they belong.
import { hashTrieOrder } from '../hash-order.js';
import { folds, type Fold } from '../parameters.js';
import { Thing, type CookingStyle, type CuttingStyle } from '../things.js';

/** The members of TextWorldExpress's file cooking_world.json that the generation of worlds reads. */
export interface FoodFile {
  /** The allowed [cooking, cutting] pairs of each food, such as [fried, sliced], by the names of the folds in the file. */
  FOOD_PREPARATIONS_SPLITS: Record<'train' | 'valid' | 'test', Record<string, string[][]>>;
  /** Foods by group; a group of several lists them in `names`. A place is written "room.furniture" or "furniture". */
  FOODS_COMPACT: Record<string, { names?: string[]; indefinite?: string; properties: string[]; locations: string[] }>;
}

/** The content of TextWorldExpress's file twc_objects.folds.json. Indices are drawn, so that the order of objects matters. */
export type ObjectFile = Record<'train' | 'valid' | 'test', Record<string, { name: string; locations: string[] }>>;

export interface FoodKind {
  readonly name: string;
  readonly article: string | undefined;
  readonly properties: readonly string[];
  /** The names of the furniture on or in which the food may be found. */
  readonly places: readonly string[];
}

export interface Preparation {
  readonly cooking: CookingStyle | 'raw';
  readonly cutting: CuttingStyle | 'uncut';
}

export interface ObjectKind {
  readonly name: string;
  readonly homes: readonly string[];
}

export interface Content {
  /** Whether the content is from TextWorldExpress's files, whose mistakes are reproduced; the built-in content avoids them. */
  readonly isFromFiles: boolean;
  readonly foods: ReadonlyMap<string, FoodKind>;
  readonly foodsByPlace: ReadonlyMap<string, readonly FoodKind[]>;
  /** The foods of each fold with their preparations, in the order of the indices that the generator draws for recipes. */
  readonly recipes: Readonly<Record<Fold, readonly RecipeFood[]>>;
  readonly objects: Readonly<Record<Fold, readonly ObjectKind[]>>;
  readonly objectsByPlace: Readonly<Record<Fold, ReadonlyMap<string, readonly ObjectKind[]>>>;
}

export interface RecipeFood {
  readonly name: string;
  readonly preparations: readonly Preparation[];
}

const fileFold = { train: 'train', dev: 'valid', test: 'test' } as const;

export function makeContent(foodFile: FoodFile, objectFile: ObjectFile, isFromFiles: boolean): Content {
  const kinds = Object.entries(foodFile.FOODS_COMPACT).flatMap(([group, record]): FoodKind[] =>
    (record.names ?? [group]).map((name) => ({
      name,
      article: record.indefinite,
      properties: record.properties,
      places: record.locations.map((location) => location.split('.').at(-1)!),
    })),
  );
  const objects = perFold((fold) =>
    Object.values(objectFile[fileFold[fold]]).map(({ name, locations }) => ({ name, homes: locations })),
  );
  return {
    isFromFiles,
    foods: new Map(kinds.map((kind) => [kind.name, kind])),
    foodsByPlace: groupBy(kinds, (kind) => kind.places),
    recipes: perFold((fold) => recipeFoods(foodFile.FOOD_PREPARATIONS_SPLITS[fileFold[fold]])),
    objects,
    objectsByPlace: perFold((fold) => groupBy(objects[fold], (kind) => kind.homes)),
  };
}

function recipeFoods(preparations: Record<string, string[][]>): RecipeFood[] {
  return hashTrieOrder(Object.keys(preparations)).map((name) => ({
    name,
    preparations: preparations[name].map(
      ([cooking, cutting]) => ({ cooking, cutting }) as { cooking: CookingStyle; cutting: CuttingStyle },
    ),
  }));
}

function perFold<T>(make: (fold: Fold) => T): Record<Fold, T> {
  return Object.fromEntries(folds.map((fold) => [fold, make(fold)])) as Record<Fold, T>;
}

function groupBy<T>(items: readonly T[], keysOf: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}

export function makeFood({ name, article, properties, places }: FoodKind): Thing {
  const is = (property: string) => properties.includes(property);
  return new Thing(name, {
    ...(article === undefined ? {} : { article }),
    homes: places,
    food: {
      isEdible: is('edible') && !is('inedible'),
      isCookable: is('cookable'),
      isCuttable: is('cuttable'),
      needsCooking: is('needs_cooking'),
      isRaw: is('raw'),
      cooked: null,
      cut: null,
    },
  });
}

export function makeObject({ name, homes }: ObjectKind): Thing {
  // Names in the plural get the article "some": "some rain boots", but "a bag of lentils" and "a glass".
  const isPlural = /[^su]s$/.test(name.split(' of ')[0]);
  return new Thing(name, { homes, ...(isPlural ? { article: 'some' } : {}) });
}
