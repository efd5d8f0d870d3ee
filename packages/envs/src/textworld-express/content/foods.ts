// The foods that cooking world ships with: our own, in the form of TextWorldExpress's food file.
// Which preparations a fold asks for is dealt out by rule, so that no fold sees another's pairs.
import type { FoodFile } from './content.js';

const anyCooking = ['raw', 'fried', 'roasted', 'grilled'];
const heated = ['fried', 'roasted', 'grilled'];
const anyCutting = ['uncut', 'chopped', 'sliced', 'diced'];

const vegetable = { properties: ['edible', 'cookable', 'cuttable'], cooking: anyCooking, cutting: anyCutting };
const meat = {
  properties: ['inedible', 'cookable', 'needs_cooking', 'cuttable'],
  cooking: heated,
  cutting: anyCutting,
};
const whole = { properties: ['inedible', 'cookable', 'needs_cooking'], cooking: heated, cutting: ['uncut'] };
const herb = { properties: ['edible', 'cuttable'], cooking: ['raw'], cutting: anyCutting };
const powder = { properties: ['edible'], cooking: ['raw'], cutting: ['uncut'] };
const liquid = { properties: ['inedible'], cooking: ['raw'], cutting: ['uncut'] };
const drink = { properties: ['drinkable', 'inedible'], cooking: ['raw'], cutting: ['uncut'] };

const cooled = ['kitchen.fridge', 'supermarket.showcase'];
const grown = ['kitchen.fridge', 'garden'];
const laidOut = ['kitchen.counter', 'garden'];
const stored = ['pantry.shelf', 'supermarket.showcase'];

interface FoodGroup {
  kind: { properties: string[]; cooking: string[]; cutting: string[] };
  names: string[];
  locations: string[];
  indefinite?: string;
}

const groups: Readonly<Record<string, FoodGroup>> = {
  greens: { kind: vegetable, names: ['zucchini', 'leek', 'fennel bulb', 'green chili', 'radish'], locations: grown },
  stalks: { kind: vegetable, names: ['celery', 'rhubarb'], indefinite: 'some', locations: grown },
  fruit: { kind: vegetable, names: ['pear', 'plum', 'quince', 'kohlrabi'], locations: laidOut },
  roots: { kind: meat, names: ['sweet potato', 'beetroot'], locations: laidOut },
  meat: { kind: meat, names: ['turkey steak', 'lamb chop'], locations: cooled },
  whole: { kind: whole, names: ['trout', 'quail'], locations: cooled },
  firm: { kind: vegetable, names: ['halloumi', 'tofu'], indefinite: 'some', locations: cooled },
  herbs: { kind: herb, names: ['basil', 'mint'], indefinite: 'some', locations: grown },
  powders: { kind: powder, names: ['cinnamon', 'rice flour'], indefinite: 'some', locations: stored },
  oils: { kind: liquid, names: ['sesame oil'], indefinite: 'some', locations: stored },
  drinks: { kind: drink, names: ['buttermilk'], indefinite: 'some', locations: cooled },
};

/** Of seven pairs, four go to train, two to dev and one to test; three pairs are enough for all. */
const dealing = ['train', 'valid', 'test', 'train', 'train', 'valid', 'train'] as const;

function dealPreparations(): FoodFile['FOOD_PREPARATIONS_SPLITS'] {
  const splits: FoodFile['FOOD_PREPARATIONS_SPLITS'] = { train: {}, valid: {}, test: {} };
  const foods = Object.values(groups).flatMap(({ kind, names }) => names.map((name) => ({ kind, name })));
  for (const [index, { kind, name }] of foods.entries()) {
    const pairs = kind.cooking.flatMap((cooking) => kind.cutting.map((cutting) => [cooking, cutting]));
    if (pairs.length === 1) {
      // What can only be used as it is, is in every fold.
      for (const split of Object.values(splits)) split[name] = pairs;
      continue;
    }
    for (const split of Object.values(splits)) split[name] = [];
    for (const k of pairs.keys()) splits[dealing[k % dealing.length]][name].push(pairs[(k + index) % pairs.length]);
  }
  return splits;
}

export const foodFile: FoodFile = {
  FOOD_PREPARATIONS_SPLITS: dealPreparations(),
  FOODS_COMPACT: Object.fromEntries(
    Object.entries(groups).map(([name, { kind, names, locations, indefinite }]) => [
      name,
      { names, locations, properties: [...kind.properties, 'raw', 'uncut'], ...(indefinite ? { indefinite } : {}) },
    ]),
  ),
};
