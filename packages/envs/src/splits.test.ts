import { defineEnvironment } from './define-environment.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { servedSplits } from './agentgym/splits.js';
import { remoteOnlyEnvs } from './agentgym/unit.js';
import { checkEnv } from './contract/check-env.js';
import type { Split } from './contract/env.js';
import {
  environmentInfo,
  environmentNames,
  makeEnv,
  makeSplitEnv,
  registerEnvironment,
  splitPlan,
} from './registry.js';
import { divided, seedOfSplit, SplitEnv, splitOfSeed, splits, testedOn } from './splits.js';

const isEmbedded = (name: string): boolean =>
  !['sciworld', 'openenv', 'mcp'].includes(name) && !remoteOnlyEnvs.some((remote) => remote === name);

test('neighbouring seeds are not held out together: families of ten have no larger spread than a sample', () => {
  const share = 0.3;
  let chiSquare = 0;
  for (let family = 0; family < 1000; family++) {
    const seeds = Array.from({ length: 10 }, (_, i) => family * 10 + i);
    const heldOut = seeds.filter((seed) => splitOfSeed(seed) !== 'train').length;
    chiSquare += (heldOut - share * 10) ** 2 / (10 * share * (1 - share));
  }
  expect(chiSquare).toBeLessThan(1000 + 4 * Math.sqrt(2 * 1000)); // the value is 303: the tenths of FNV-1a are more even than a random sample
});

/** Ids of what a split's plan chooses for seeds 0, 1, 2 …, where they are known without a reset. */
function idsOf(name: string, split: Split, count = 600, options = {}): Set<string> {
  const plan = splitPlan(name, options);
  const ids = new Set<string>();
  for (let seed = 0; seed < count; seed++) {
    const { item } = plan.choose({ split, seed });
    if (typeof item === 'string') ids.add(item);
  }
  return ids;
}

const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((id) => b.has(id));

test.each(environmentNames())('%s: no item of one split is played in another, or its plan says so', (name) => {
  const plan = splitPlan(name);
  if (plan.shared) return expect(testedOn(plan)).toMatch(/^same .*, new games$/);
  const [train, evaluated, tested] = splits.map((split) => idsOf(name, split));
  expect(overlap(train, evaluated)).toEqual([]);
  expect(overlap(train, tested)).toEqual([]);
  expect(overlap(evaluated, tested)).toEqual([]);
});

test.each(environmentNames().filter(isEmbedded))(
  '%s keeps the contract in a split and names its item',
  async (name) => {
    const { sampleActions } = environmentInfo(name);
    await checkEnv(() => makeSplitEnv(name, 'test'), { actions: sampleActions, episodes: 3 });
    const env = makeSplitEnv(name, 'train');
    const { info } = await env.reset({ seed: 5 });
    expect(info.item).toMatch(/./);
    await env.close();
  },
);

test.each([
  ['coin', { fold: 'test' }],
  ['arithmetic', { fold: 'train' }],
  ['textcraft', { depth: 2 }],
  ['webshop', { webshopUpper: 80 }],
])('%s with %j is still divided', (name, options) => {
  expect(splitPlan(name, options).shared).toBe(false);
  const [train, evaluated, tested] = splits.map((split) => idsOf(name, split, 500, options));
  expect(overlap(train, new Set([...evaluated, ...tested]))).toEqual([]);
  expect(overlap(evaluated, tested)).toEqual([]);
});

test('the folds of TextWorldExpress are the splits, and training plays the seeds that it is given', () => {
  const plan = splitPlan('cookingworld');
  const fold = (split: Split) => plan.choose({ split, seed: 123_456 }).reset;
  expect(splits.map(fold)).toEqual([
    { seed: 123_456, fold: 'train' },
    { seed: 123_456, fold: 'dev' },
    { seed: 123_456, fold: 'test' },
  ]);
});

test("ArCHer's goals of a site are trained on; WebShop's own development and test goals are not", () => {
  const goals = (split: Split) => [...idsOf('webshop', split, 2_000, { backend: 'site' })].map(Number);
  expect(Math.min(...goals('train'))).toBe(2000);
  expect(Math.max(...goals('train'))).toBe(2099);
  expect(Math.max(...goals('test'))).toBeLessThan(500);
  expect(Math.min(...goals('eval'))).toBeGreaterThanOrEqual(500);
  expect(Math.max(...goals('eval'))).toBeLessThan(1500);
});

test("AgentGym's list of test problems is the test split, and nothing else plays them", () => {
  const folder = newFolder();
  const testItems = join(folder, 'test.json');
  writeFileSync(testItems, JSON.stringify([{ item_id: 'textcraft_7', conversations: null }, 'textcraft_11', 300]));
  const plan = servedSplits('textcraft', { testItems });
  expect([plan.count('test'), plan.count('train')! + plan.count('eval')!]).toEqual([3, 541]);
  const played = (split: Split) =>
    Array.from({ length: 600 }, (_, seed) => plan.choose({ split, seed, episode: seed }));
  expect(new Set(played('test').map(({ item }) => item))).toEqual(
    new Set(['textcraft_7', 'textcraft_11', 'textcraft_300']),
  );
  const others = [...played('train'), ...played('eval')].map(({ reset }) => reset.dataIdx);
  expect(others.filter((item) => [7, 11, 300].includes(item as number))).toEqual([]);
  writeFileSync(testItems, '[{"item_id": "textcraft"}]');
  expect(() => servedSplits('textcraft', { testItems })).toThrow(/entry 1 has no number/);
});

test('an evaluation covers its items evenly, words by seed too', async () => {
  const env = makeSplitEnv('twenty_questions', 'test', { words: 'subset10', wordChoice: 'bySeed' });
  const played: unknown[] = [];
  for (let episode = 0; episode < 20; episode++)
    played.push((await env.reset({ seed: 77 * episode, episode })).info.item);
  expect(new Set(played).size).toBe(10);
  expect(played.slice(10)).toEqual(played.slice(0, 10));

  const plan = splitPlan('textcraft');
  const goals = Array.from({ length: plan.count('test')! }, (_, episode) =>
    plan.choose({ split: 'test', seed: 1, episode }),
  );
  expect(new Set(goals.map(({ item }) => item)).size).toBe(plan.count('test'));
});

test('a seed stays where it is when it belongs to the split; seven tenths are for training', () => {
  const seeds = Array.from({ length: 2000 }, (_, i) => i * 7919);
  const trained = seeds.filter((seed) => seedOfSplit('train', seed) === seed);
  expect(trained.every((seed) => splitOfSeed(seed) === 'train')).toBe(true);
  expect(trained.length / seeds.length).toBeCloseTo(0.7, 1);
});

test('a list is divided the same way every time, into parts of a tenth, a fifth and the rest', () => {
  const items = [...Array(100).keys()];
  const { train, eval: evaluated, test: tested } = divided(items);
  expect([train.length, evaluated.length, tested.length]).toEqual([70, 10, 20]);
  expect([...train, ...evaluated, ...tested].sort((a, b) => a - b)).toEqual(items);
  expect(divided(items).test).toEqual(tested);
});

test('a unit without splits has an item for every seed', () => {
  const { splits: _, ...unit } = { ...environmentInfo('wordle'), name: 'undivided' };
  registerEnvironment(defineEnvironment(unit));
  expect(splitPlan('undivided').shared).toBe(false);
});

test('a split without items is refused when its environment is made', () => {
  const env = makeEnv('maze');
  const empty = { ...splitPlan('maze'), count: () => 0 };
  expect(() => new SplitEnv(env, empty, 'test')).toThrow('the test split has no starting places');
});
