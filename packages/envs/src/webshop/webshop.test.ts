import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { checkEnv } from '../contract/check-env.js';
import type { Goal } from './goal.js';
import { webShopDemonstrations } from './demonstrations.js';
import { loadShop, webShopSchema, type WebShopOptions } from './options.js';
import { webShopUnit } from './unit.js';
import { WebShop } from './webshop.js';

const options = Object.fromEntries(
  Object.entries(webShopSchema.properties).map(([key, property]) => [key, property.default]),
) as unknown as WebShopOptions;

test.each(['archer', 'page', 'text'] as const)('observation %s keeps the contract', async (observation) => {
  const make = () => new WebShop({ ...options, observation });
  const report = await checkEnv(make, { actions: webShopUnit.sampleActions, episodes: 6 });
  expect(report.steps).toBeGreaterThan(6);
});

test('the catalogue has 2,400 products with asins of their own and 500 goals', () => {
  const { products, goals } = loadShop(options);
  const asins = Array.from({ length: products.size }, (_, id) => products.at(id).asin);
  expect(new Set(asins).size).toBe(2400);
  expect(goals).toHaveLength(500);
});

test('every goal can be bought for the whole reward', () => {
  const shop = loadShop(options);
  for (const [index, goal] of (shop.goals as Goal[]).entries()) {
    const entries = [...(shop.product(goal.asin)?.options.keys() ?? [])].map(
      (name, i) => [name, goal.options[i] as string] as const,
    );
    const nodes = shop.nodes({ page: 'done', session: `fixed_${index}`, asin: goal.asin, chosen: new Map(entries) });
    expect(nodes.at(-1)?.text).toBe('1.0');
  }
});

test('the shopper, who sees three products of a search, buys well', async () => {
  const episodes = await webShopDemonstrations(options, { episodes: 100, noise: 0, seed: 0 });
  const scores = episodes.map((episode) => episode[episode.length - 1].reward);
  expect(scores.reduce((sum, score) => sum + score, 0) / scores.length).toBeGreaterThan(0.95);
});

test('text mode pages through results; archer mode refuses to', async () => {
  const pages = [];
  for (const observation of ['text', 'archer'] as const) {
    const env = new WebShop({ ...options, observation });
    await env.reset({ goal: 3 });
    await env.step('search[phone cases]');
    pages.push((await env.step('click[Next >]')).info.text);
    await env.close();
  }
  expect(pages[0]).toContain('Page 2 (Total results: 27) [SEP] < Prev [SEP] Next >');
  expect(pages[1]).toBe('Invalid action!');
});

test('a page contains what is chosen in it, and a refusal stands above it', async () => {
  const env = new WebShop({ ...options, observation: 'page' });
  const { info } = await env.reset({ goal: 3 });
  await env.step(`search[${info.instruction as string}]`);
  const { asin } = loadShop(options).goals[3]!;
  const item = await env.step(`click[${asin}]`);
  const [, value] = /\[(?!Back|<)([^\]]+)\]\[/.exec(item.observation)!;
  const chosen = await env.step(`click[${value}]`);
  expect(chosen.observation).toBe(item.observation.replace(`[${value}]`, `[[${value}]]`));
  expect((await env.step('click[no such thing]')).observation).toBe(`Invalid action!\n${chosen.observation}`);
  await env.close();
});

test('goals that the shop does not have are refused before anything is played', () => {
  expect(() => new WebShop({ ...options, webshopLower: 2000, webshopUpper: 2100 })).toThrow(
    'webshop: goals 2000 … 2099 were asked for (env.webshop_lower, env.webshop_upper); the shop has 0 … 499',
  );
});

describe("WebShop's own files", () => {
  const folder = newFolder();
  const write = (name: string, value: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  const product = (asin: string, name: string, more: object = {}) => ({
    asin,
    name,
    full_description: 'Made for every day.',
    small_description: ['easy to clean'],
    pricing: '$12.50',
    category: 'garden',
    query: 'lamps',
    product_category: 'Home › Lighting › Lamps',
    images: ['x.jpg'],
    customization_options: {
      Color: [
        { value: 'Red/White', image: null },
        { value: 'blue', image: null },
      ],
      Size: null,
    },
    ...more,
  });
  const files = {
    products: write('items.json', [
      product('B000000001', 'Brass reading lamp with shade'),
      product('B000000002', 'Paper lantern for the garden', { pricing: '$5.00 - $9.00', customization_options: null }),
      product('B000000003', 'Steel kettle', { pricing: '', query: 'kettles', product_category: 'Kitchen › Kettles' }),
    ]),
    attributes: write('attributes.json', { B000000001: { attributes: ['easy clean', 'brass'] } }),
    goals: write('human.json', {
      B000000001: [
        {
          instruction: 'i want a brass lamp in red.',
          instruction_attributes: ['easy clean'],
          instruction_options: ['red | white'],
        },
        { instruction: 'a lamp', instruction_attributes: [], instruction_options: [] },
      ],
    }),
  };

  test('are searched, shown and scored', async () => {
    const shop = new WebShop({ ...options, ...files, observation: 'text' });
    const { observation } = await shop.reset({ goal: 0 });
    // The cap is the larger of two of the next four multiples of 10 above 12.50.
    expect(observation).toMatch(/i want a brass lamp in red, and price lower than (30|40|50)\.00 dollars/);
    const results = await shop.step('search[brass reading lamp]');
    expect(results.observation).toContain('B000000001 [SEP] Brass reading lamp with shade [SEP] $12.5');
    await shop.step('click[b000000001]');
    await shop.step('click[red | white]');
    // One attribute, one option and the price of the wanted product are right.
    expect(await shop.step('click[buy now]')).toMatchObject({ reward: 1, terminated: true });
  });

  test('missing or broken files are reported with their option', () => {
    expect(() => new WebShop({ ...options, products: files.products })).toThrow(
      /give the human instructions file with env.goals=FILE/,
    );
    expect(() => new WebShop({ ...options, ...files, products: join(folder, 'absent.json') })).toThrow(
      /env.products: '.*absent.json' cannot be read/,
    );
    expect(() => new WebShop({ ...options, ...files, goals: write('none.json', {}) })).toThrow(
      /none.json' has no instruction for any of the products/,
    );
  });
});
