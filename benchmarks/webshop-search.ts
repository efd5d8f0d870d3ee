// WebShop's search on a large catalogue of ours: time and memory to index it, to open the index again, and to search.
// Run: node --conditions=source --import tsx benchmarks/webshop-search.ts [products] [folder]
import { createWriteStream, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile, Rng } from '@bowyer/core';
import { loadWebShop, makeWebShopCatalogue, webShopDefaults } from '@bowyer/envs';

const count = Number(process.argv[2] ?? 100_000);
const folder = process.argv[3] ?? join(tmpdir(), `bowyer-webshop-${count}`);
mkdirSync(folder, { recursive: true });
const items = join(folder, 'items.json');

/** Words of a vocabulary as wide as a real catalogue's: a few common ones, many rare ones (Zipf). */
const filler = (rng: Rng, words: number): string =>
  Array.from({ length: words }, () => `word${Math.floor(200_000 ** rng.uniform())}`).join(' ');

/** Our own products with descriptions of a real one's length. */
async function writeItems(): Promise<void> {
  const rng = new Rng(1);
  const { products } = makeWebShopCatalogue(7, Math.min(count, 20_000), 1);
  const file = createWriteStream(items);
  for (let i = 0; i < count; i++) {
    const { title, description, bullets, options, priceText, query, productCategory } = products[i % products.length];
    const values = [...options].map(([name, texts]) => [name, texts.map((value) => ({ value }))]);
    const record = {
      asin: `B${String(i).padStart(9, '0')}`,
      name: `${title} ${filler(rng, 6)}`,
      pricing: priceText,
      query,
      full_description: `${description} ${filler(rng, 60)}`,
      small_description: [...bullets, filler(rng, 15)],
      product_category: productCategory,
      customization_options: Object.fromEntries(values) as unknown,
    };
    if (!file.write(`${i === 0 ? '[' : ','}${JSON.stringify(record)}`)) await once(file, 'drain');
  }
  file.end(']');
  await once(file, 'close');
}

if (!existsSync(items)) await writeItems();
const goal = {
  asin: '',
  name: '',
  query: '',
  product_category: '',
  instruction_text: 'x',
  attributes: [],
  goal_options: [],
};
const goals = join(folder, 'goals.json');
writeFileSync(goals, JSON.stringify([{ ...goal, price_upper: 1 }]));

const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(2);
const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

const started = performance.now();
const isMade = existsSync(`${items}.index`);
const shop = loadWebShop({ ...webShopDefaults, products: items, goals, indexDir: `${items}.index` });
console.log(`${count} products, items file ${megabytes(statSync(items).size)} MiB`);
console.log(`${isMade ? 'opened the index' : 'made and opened the index'} in ${seconds(started)} s`);
console.log(
  `resident memory now ${megabytes(process.memoryUsage().rss)} MiB, at most ${megabytes(process.resourceUsage().maxRSS * 1024)} MiB`,
);
if (isMade) {
  const bytes = readdirSync(`${items}.index`).map(
    (name) => [name, statSync(join(`${items}.index`, name)).size] as const,
  );
  console.log(bytes.map(([name, size]) => `${name} ${megabytes(size)}`).join(', '));
}

const rng = new Rng(2);
const { goals: wanted } = makeWebShopCatalogue(7, Math.min(count, 20_000), 300);
/** Instructions as agents search for them, and ones with rare words. */
const queries = wanted.map(({ instruction }, i) => (i % 2 === 0 ? instruction : `${instruction} ${filler(rng, 3)}`));
const times = queries.map((keywords) => {
  const from = performance.now();
  shop.nodes({ page: 'results', session: 'fixed_0', keywords, number: 1 });
  return performance.now() - from;
});
console.log(
  `search and page of results, ${times.length} different queries of ${(queries.join(' ').split(' ').length / queries.length).toFixed(0)} words: ` +
    `median ${quantile(times, 0.5).toFixed(2)} ms, 0.95 quantile ${quantile(times, 0.95).toFixed(2)} ms, first ${times[0].toFixed(2)} ms`,
);
