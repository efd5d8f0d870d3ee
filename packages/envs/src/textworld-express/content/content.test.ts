// Tests the guarantees of the built-in content to the games, and the reading of content files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { folds } from '../parameters.js';
import { builtInContent } from './built-in-content.js';
import { foodFile } from './foods.js';
import { loadContent } from './load-content.js';
import { objectFile } from './objects.js';
import { drawArithmeticProblems, drawSortingProblems } from './problems.js';

const content = builtInContent();
const pairsOf = (fold: (typeof folds)[number]) =>
  content.recipes[fold].flatMap(({ name, preparations }) =>
    preparations.map(({ cooking, cutting }) => `${name} ${cooking} ${cutting}`),
  );

test('every fold cooks every food, and no fold shares a preparation unless the food has only one', () => {
  const everywhere = [...content.foods.keys()].filter((name) => pairsOf('train').includes(`${name} raw uncut`));
  for (const fold of folds) {
    expect(content.recipes[fold].map(({ name }) => name).sort()).toEqual([...content.foods.keys()].sort());
    for (const { preparations } of content.recipes[fold]) expect(preparations.length).toBeGreaterThan(0);
  }
  const shared = pairsOf('train').filter((pair) => pairsOf('dev').includes(pair) || pairsOf('test').includes(pair));
  expect(shared.sort()).toEqual(
    ['buttermilk', 'cinnamon', 'rice flour', 'sesame oil'].map((name) => `${name} raw uncut`),
  );
  expect(everywhere).toEqual(expect.arrayContaining(['buttermilk', 'cinnamon', 'rice flour', 'sesame oil']));
});

test('a preparation asks only for what the food allows', () => {
  for (const pair of folds.flatMap(pairsOf)) {
    const [, name, cooking, cutting] = /^(.*) (\w+) (\w+)$/.exec(pair)!;
    const { properties } = content.foods.get(name)!;
    if (cooking !== 'raw') expect(properties).toContain('cookable');
    if (cooking === 'raw') expect(properties).not.toContain('needs_cooking');
    if (cutting !== 'uncut') expect(properties).toContain('cuttable');
  }
});

test('no household object is in two folds or without a home', () => {
  const names = folds.flatMap((fold) => content.objects[fold].map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  for (const fold of folds) for (const { homes } of content.objects[fold]) expect(homes.length).toBeGreaterThan(0);
});

test('content files of the same form give the same content', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'cooking_world.json'), JSON.stringify(foodFile()));
  writeFileSync(join(folder, 'twc_objects.folds.json'), JSON.stringify(objectFile()));
  expect(loadContent(folder)).toEqual({ ...content, isFromFiles: true });
});

test('a file with a missing key is reported with the key', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'cooking_world.json'), '{"FOODS_COMPACT": {}}');
  expect(() => loadContent(folder)).toThrow(
    `Cannot use the content file ${join(folder, 'cooking_world.json')}: the key FOOD_PREPARATIONS_SPLITS is missing`,
  );
});

test('each fold has a hundred problems of each kind, with right answers and five wrong ones', () => {
  const [arithmetic, sorting] = [drawArithmeticProblems(), drawSortingProblems()];
  for (const fold of folds) {
    expect([arithmetic[fold].length, sorting[fold].length]).toEqual([100, 100]);
    for (const { operator, first, second, answer, wrongAnswers } of arithmetic[fold]) {
      const results = { '+': first + second, '-': first - second, '*': first * second, '/': second / first };
      expect(answer).toBe(results[operator]);
      expect(wrongAnswers).toHaveLength(5);
      expect(wrongAnswers).not.toContain(answer);
    }
    for (const items of sorting[fold]) {
      const sizes = items.map(({ size }) => size);
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    }
  }
});
