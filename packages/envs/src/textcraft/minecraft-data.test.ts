import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CraftingTree } from './crafting-tree.js';
import { textCraftDemonstrations } from './demonstrations.js';
import type { TextCraftOptions } from './options.js';
import { craftingPlan } from './plan.js';
import { readRecipes } from './recipe-files.js';
import { recipeLine, type Recipe } from './recipe.js';
import { TextCraft } from './textcraft.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'minecraft-data-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Record<string, unknown>): string {
  for (const [name, json] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(json));
  return folder;
}

const item = (id: number, name: string) => ({ id, name, displayName: name, stackSize: 64 });

/** Items and recipes of a small test: two woods, and ingots, blocks and nuggets that can be made into one another. */
const items = [
  item(3, 'oak_log'),
  item(4, 'birch_log'),
  item(10, 'oak_planks'),
  item(11, 'birch_planks'),
  item(20, 'stick'),
  item(30, 'iron_ingot'),
  item(31, 'iron_nugget'),
  item(32, 'iron_block'),
  item(40, 'iron_axe'),
];
const one = (id: number) => ({ id, count: 1 });
const full = (id: number) => [0, 1, 2].map(() => [id, id, id]);
const recipes = {
  40: [
    // The two shapes are mirrored, and count as one recipe.
    {
      inShape: [
        [30, 30],
        [30, 20],
        [null, 20],
      ],
      result: one(40),
    },
    {
      inShape: [
        [30, 30],
        [20, 30],
        [20, null],
      ],
      result: one(40),
    },
  ],
  32: [{ inShape: full(30), result: one(32) }],
  31: [{ ingredients: [30], result: { id: 31, count: 9 } }],
  30: [
    { ingredients: [32], result: { id: 30, count: 9 } },
    { inShape: full(31), result: one(30) },
  ],
  20: [
    { inShape: [[10], [10]], result: { id: 20, count: 4 } },
    { inShape: [[11], [11]], result: { id: 20, count: 4 } },
  ],
  11: [{ ingredients: [4], result: { id: 11, count: 4 } }],
  10: [{ ingredients: [3], result: { id: 10, count: 4 } }],
  // A copy, an empty result, and an id without a name are left out.
  3: [
    { ingredients: [3, 30], result: { id: 3, count: 2 } },
    { ingredients: [20], result: { id: 3, count: 0 } },
    { ingredients: [999], result: one(3) },
  ],
};

const options: TextCraftOptions = {
  ...({ observation: 'turn', stepLimit: 30, depth: null, goal: null } as const),
  distractors: 10,
  recipes: null,
  recipeOrder: null,
  renamed: 0,
};

test('recipes by rising id with exact counts; each kind of an ingredient is a recipe, a mirrored one is not', () => {
  const lines = readRecipes(write({ 'recipes.json': recipes, 'items.json': items }), null).map(recipeLine);
  expect(lines).toEqual([
    '4 oak_planks = 1 oak_log',
    '4 birch_planks = 1 birch_log',
    '4 stick = 2 oak_planks',
    '4 stick = 2 birch_planks',
    '9 iron_ingot = 1 iron_block',
    '1 iron_ingot = 9 iron_nugget',
    '9 iron_nugget = 1 iron_ingot',
    '1 iron_block = 9 iron_ingot',
    '1 iron_axe = 3 iron_ingot, 2 stick',
  ]);
});

test('goals and depths: nuggets close the circle and are fetched', async () => {
  const env = new TextCraft({ ...options, recipes: write({ 'recipes.json': recipes, 'items.json': items }) });
  expect(env.tree.goals()).toEqual([
    ['oak_planks', 1],
    ['birch_planks', 1],
    ['iron_ingot', 1],
    ['stick', 2],
    ['iron_block', 2],
    ['iron_axe', 3],
  ]);
  await env.reset({ dataIdx: 5 });
  expect((await env.step('get 1 oak log')).observation).toBe('Got 1 oak log');
  expect((await env.step('get 27 iron nugget')).observation).toBe('Got 27 iron nugget');
  expect((await env.step('craft 9 iron nugget using 1 iron ingot')).observation).toMatch('Could not find enough items');
  await env.step('craft 4 oak planks using 1 oak log');
  expect((await env.step('craft 4 stick using 1 oak planks')).observation).toMatch('Could not find a valid recipe');
  expect((await env.step('craft 4 stick using 2 oak planks')).observation).toBe('Crafted 4 minecraft:stick');
  for (let i = 0; i < 3; i++) await env.step('craft 1 iron ingot using 9 iron nugget');
  expect(await env.step('craft 1 iron axe using 3 iron ingot, 2 stick')).toMatchObject({ terminated: true, reward: 1 });
});

test('the expert wins every goal', async () => {
  const read = { ...options, recipes: write({ 'recipes.json': recipes, 'items.json': items }) };
  const played = await textCraftDemonstrations(read, { episodes: 30, noise: 0, seed: 0 });
  expect(played.map((transitions) => transitions.at(-1)!.reward)).toEqual(played.map(() => 1));
});

test('before 1.13: kinds by metadata, blocks that are not items, ids with metadata in a list', () => {
  const variations = [
    { metadata: 0, displayName: 'Stone' },
    { metadata: 6, displayName: 'Polished Andesite' },
    { metadata: 7, displayName: 'Lamp' },
  ];
  write({
    'items.json': [{ ...item(1, 'stone'), variations }, item(5, 'planks'), item(50, 'lamp')],
    'blocks.json': [item(1, 'stone_block'), item(75, 'unlit_lamp')],
    'recipes.json': {
      1: [
        { inShape: [[{ id: 1, metadata: 0 }, [5, 2]]], result: { id: 1, metadata: 6, count: 2 } },
        { ingredients: [{ id: 1, metadata: 6 }], result: { id: 1, metadata: 7, count: 3 } },
      ],
      50: [{ ingredients: [75, { id: 5, metadata: 0, count: 2 }, 5], result: { id: 50, count: 1 } }],
    },
  });
  expect(readRecipes(folder, null).map(recipeLine)).toEqual([
    '2 polished_andesite = 1 stone, 1 planks_2',
    '3 stone_7 = 1 polished_andesite',
    '1 lamp = 1 unlit_lamp, 3 planks',
  ]);
});

test('a folder of no form is refused with what was found and what would do', () => {
  expect(() => readRecipes(folder, null)).toThrow(
    /contains no crafting recipe \(found: nothing\); recipes must name .*\*\.json.*minecraft-data/,
  );
  write({ 'blocks.json': { 1: 'stone' }, 'version.json': {} });
  expect(() => readRecipes(folder, null)).toThrow(
    /found: blocks\.json, version\.json\); .*recipes\.json and items\.json/,
  );
  write({ 'recipes.json': recipes });
  expect(() => readRecipes(folder, null)).toThrow('has recipes.json without items.json, which names its ids');
  mkdirSync(join(folder, 'empty'));
  expect(() => readRecipes(join(folder, 'absent'), null)).toThrow(/absent: is not there; recipes must name/);
});

test.each([
  [{ 0: { type: 'crafting_table', ingredients: [], output: [] } }, /recipes\.json: has no list at '0'; .*bedrock/],
  [{ 3: [{ result: one(3) }] }, /recipes\.json 3\[0\]: has neither inShape nor ingredients/],
  [{ 3: [{ ingredients: [4], result: null }] }, /3\[0\]: has no result/],
  [{ 3: [{ inShape: [[null]], result: one(3) }] }, /3\[0\]: has no ingredient/],
  [{ 3: [{ ingredients: ['oak_log'], result: one(3) }] }, /3\[0\]: has "oak_log", which is not id/],
])('a wrong recipe is reported with its place: %j', (wrong, told) => {
  expect(() => readRecipes(write({ 'recipes.json': wrong, 'items.json': items }), null)).toThrow(told);
});

test('wrong items, and an order for recipes that have one', () => {
  write({ 'recipes.json': recipes, 'items.json': [{ id: 1 }] });
  expect(() => readRecipes(folder, null)).toThrow(/items\.json \[0\]: is not {"id": 1, "name": "stone"}/);
  write({ 'items.json': items });
  expect(() => readRecipes(folder, 'order.txt')).toThrow('leave recipe_order null');
});

test('sixteen things that each make all others are listed without walking every way', () => {
  const colours = Array.from({ length: 16 }, (_, i) => `bed_${i}`);
  const need = (name: string) => ({ name, isTag: false, count: 1 });
  const dyed = colours.flatMap((output) =>
    colours
      .filter((from) => from !== output)
      .map((from): Recipe => ({ output, count: 1, group: null, ingredients: [need(from), need(`dye_${output}`)] })),
  );
  const tree = new CraftingTree(dyed);
  // By the loader's rule each is made from those read later, and the last one is fetched.
  expect(tree.recipesBelow('bed_0')).toHaveLength(120);
  expect(craftingPlan(tree, 'bed_14').map(({ action }) => action)).toEqual([
    'get 1 bed 15',
    'get 1 dye bed 14',
    'craft 1 bed 14 using 1 bed 15, 1 dye bed 14',
  ]);
});
