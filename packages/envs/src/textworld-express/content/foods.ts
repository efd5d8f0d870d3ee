// Lists the built-in foods of cookingworld in TextWorldExpress's format. No pair of food and preparation is in two folds.
import { fromDataFile } from '../../data-file.js';
import type { FoodFile } from './content.js';

interface FoodKind {
  properties: string[];
  cooking: string[];
  cutting: string[];
}

interface FoodData {
  kinds: Record<string, FoodKind>;
  groups: Record<string, { kind: string; names: string[]; locations: string[]; indefinite?: string }>;
}

/** The fold of each successive preparation: of seven, four go to train, two to valid, one to test; three reach every fold. */
const dealing = ['train', 'valid', 'test', 'train', 'train', 'valid', 'train'] as const;

function dealPreparations({ kinds, groups }: FoodData): FoodFile['FOOD_PREPARATIONS_SPLITS'] {
  const splits: FoodFile['FOOD_PREPARATIONS_SPLITS'] = { train: {}, valid: {}, test: {} };
  const foods = Object.values(groups).flatMap(({ kind, names }) => names.map((name) => ({ kind: kinds[kind], name })));
  for (const [index, { kind, name }] of foods.entries()) {
    const pairs = kind.cooking.flatMap((cooking) => kind.cutting.map((cutting) => [cooking, cutting]));
    if (pairs.length === 1) {
      // A food with only one preparation gives it to all folds.
      for (const split of Object.values(splits)) split[name] = pairs;
      continue;
    }
    for (const split of Object.values(splits)) split[name] = [];
    for (const k of pairs.keys()) splits[dealing[k % dealing.length]][name].push(pairs[(k + index) % pairs.length]);
  }
  return splits;
}

export const foodFile = fromDataFile('textworld-express/content/foods.json', (data: FoodData): FoodFile => {
  const { kinds, groups } = data;
  const compact = Object.entries(groups).map(([name, { kind, ...group }]) => [
    name,
    { ...group, properties: [...kinds[kind].properties, 'raw', 'uncut'] },
  ]);
  return {
    FOOD_PREPARATIONS_SPLITS: dealPreparations(data),
    FOODS_COMPACT: Object.fromEntries(compact) as FoodFile['FOODS_COMPACT'],
  };
});
