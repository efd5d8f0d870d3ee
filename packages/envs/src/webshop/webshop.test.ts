import { checkEnv } from '../contract/check-env.js';
import { webShopDemonstrations } from './demonstrations.js';
import { loadShop, webShopSchema, type WebShopOptions } from './options.js';
import { webShopRegistration } from './registration.js';
import { WebShop } from './webshop.js';

const options = Object.fromEntries(
  Object.entries(webShopSchema.properties).map(([key, property]) => [key, property.default]),
) as unknown as WebShopOptions;

test.each(['archer', 'text'] as const)('observation %s keeps the contract', async (observation) => {
  const make = () => new WebShop({ ...options, observation });
  const report = await checkEnv(make, { actions: webShopRegistration.sampleActions, episodes: 6 });
  expect(report.steps).toBeGreaterThan(6);
});

test('the catalogue has 2,400 products with asins of their own and 500 goals', () => {
  const { products, goals } = loadShop(options);
  expect(new Set(products.map(({ asin }) => asin)).size).toBe(2400);
  expect(goals).toHaveLength(500);
});

test('every goal can be bought for the whole reward', () => {
  const shop = loadShop(options);
  for (const [index, goal] of shop.goals.entries()) {
    const entries = [...(shop.product(goal.asin)?.options.keys() ?? [])].map(
      (name, i) => [name, goal.options[i]] as const,
    );
    const nodes = shop.nodes({ page: 'done', session: `fixed_${index}`, asin: goal.asin, chosen: new Map(entries) });
    expect(nodes.at(-1)?.text).toBe('1.0');
  }
});

test('the shopper, who sees three products of a search, buys well', async () => {
  const episodes = await webShopDemonstrations(options, 100);
  const scores = episodes.map((episode) => episode[episode.length - 1].reward);
  expect(scores.reduce((sum, score) => sum + score, 0) / scores.length).toBeGreaterThan(0.8);
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

test('goals that the shop does not have are refused before anything is played', () => {
  expect(() => new WebShop({ ...options, webshopLower: 2000, webshopUpper: 2100 })).toThrow(
    'webshop: goals 2000 … 2099 were asked for (env.webshop_lower, env.webshop_upper); the shop has 0 … 499',
  );
});
