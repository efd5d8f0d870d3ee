import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { CraftingTree } from './crafting-tree.js';
import { craftingPlan } from './plan.js';
import { readRecipes } from './recipe-files.js';
import { recipeLine, type Recipe } from './recipe.js';

let folder = '';
beforeEach(() => (folder = newFolder()));

const write = (name: string, content: object): void => writeFileSync(join(folder, name), JSON.stringify(content));

test('shaped and shapeless recipes of a folder are read by name; smelting is not crafting', () => {
  const stick = { item: 'minecraft:stick' };
  const key = { X: [{ item: 'minecraft:iron_ingot' }, { item: 'minecraft:copper_ingot' }], '#': stick };
  const axe = {
    type: 'minecraft:crafting_shaped',
    pattern: ['XX', 'X#', ' #'],
    key,
    result: { item: 'minecraft:axe' },
  };
  const planks = { tag: 'minecraft:planks' };
  const sticks = {
    type: 'minecraft:crafting_shapeless',
    ingredients: [planks, planks],
    result: { ...stick, count: 4 },
  };
  write('stick.json', sticks);
  write('axe.json', axe);
  write('glass.json', { type: 'minecraft:smelting', result: 'minecraft:glass' });
  const lines = ['1 axe = 3 iron_ingot, 2 stick', '4 stick = 2 #planks'];
  expect(readRecipes(folder, null).map(recipeLine)).toEqual(lines);
  writeFileSync(join(folder, 'order.txt'), 'stick.json\naxe.json\n');
  expect(readRecipes(folder, join(folder, 'order.txt')).map(recipeLine)).toEqual(lines.reverse());
});

test('a folder of another form is refused with its content and the forms that are read', () => {
  expect(() => readRecipes(folder, null)).toThrow(/contains no crafting recipe \(found: nothing\); recipes must name/);
  write('version.json', {});
  expect(() => readRecipes(folder, null)).toThrow(/found: version\.json\); .*a \.jsonl file/);
  expect(() => readRecipes(join(folder, 'absent'), null)).toThrow(/absent: is not there; recipes must name/);
});

test('sixteen items that are each made from all others are listed without following every path', () => {
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
