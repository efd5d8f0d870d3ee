// The foods that cooking world ships with, in the form of TextWorldExpress's food file but with our own foods.
// Which preparations a fold asks for is dealt out by rule, so that no fold sees another's pairs.
import type { FoodFile } from './content.js';

interface FoodGroup {
  names: string;
  article?: string;
  properties: string;
  places: string;
  cooking: string;
  cutting: string;
}

const FROM_GARDEN = 'kitchen.fridge, garden';
const FROM_COUNTER = 'kitchen.counter, garden';
const FROM_SHELF = 'pantry.shelf, supermarket.showcase';
const COLD = 'kitchen.fridge, supermarket.showcase';
const ANY_COOKING = 'raw fried roasted grilled';
const ANY_CUTTING = 'uncut chopped sliced diced';

const groups: readonly FoodGroup[] = [
  {
    names: 'zucchini, leek, fennel bulb, green chili',
    properties: 'edible cookable cuttable',
    places: FROM_GARDEN,
    cooking: ANY_COOKING,
    cutting: ANY_CUTTING,
  },
  {
    names: 'pear, plum, quince',
    properties: 'edible cookable cuttable',
    places: FROM_COUNTER,
    cooking: ANY_COOKING,
    cutting: ANY_CUTTING,
  },
  {
    names: 'radish, kohlrabi',
    properties: 'edible cookable cuttable',
    places: FROM_GARDEN,
    cooking: ANY_COOKING,
    cutting: ANY_CUTTING,
  },
  {
    names: 'celery',
    article: 'some',
    properties: 'edible cookable cuttable',
    places: FROM_GARDEN,
    cooking: ANY_COOKING,
    cutting: ANY_CUTTING,
  },
  {
    names: 'sweet potato, beetroot',
    properties: 'inedible cookable needs_cooking cuttable',
    places: FROM_COUNTER,
    cooking: 'fried roasted grilled',
    cutting: ANY_CUTTING,
  },
  {
    names: 'turkey steak, lamb chop',
    properties: 'inedible cookable needs_cooking cuttable',
    places: COLD,
    cooking: 'fried roasted grilled',
    cutting: ANY_CUTTING,
  },
  {
    names: 'trout, quail',
    properties: 'inedible cookable needs_cooking',
    places: COLD,
    cooking: 'fried roasted grilled',
    cutting: 'uncut',
  },
  {
    names: 'halloumi, tofu',
    article: 'some',
    properties: 'edible cookable cuttable',
    places: COLD,
    cooking: ANY_COOKING,
    cutting: ANY_CUTTING,
  },
  {
    names: 'basil, mint',
    article: 'some',
    properties: 'edible cuttable',
    places: FROM_GARDEN,
    cooking: 'raw',
    cutting: ANY_CUTTING,
  },
  {
    names: 'cinnamon, rice flour',
    article: 'some',
    properties: 'edible',
    places: FROM_SHELF,
    cooking: 'raw',
    cutting: 'uncut',
  },
  {
    names: 'sesame oil',
    article: 'some',
    properties: 'inedible',
    places: FROM_SHELF,
    cooking: 'raw',
    cutting: 'uncut',
  },
  {
    names: 'buttermilk',
    article: 'some',
    properties: 'drinkable inedible',
    places: COLD,
    cooking: 'raw',
    cutting: 'uncut',
  },
];
