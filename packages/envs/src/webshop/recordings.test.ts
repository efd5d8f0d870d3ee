// Tests the scores of recorded purchases on Princeton's site against ours, and our client on the recorded pages. The catalogue was
// made up, so that products are read from the pages. embedded-recordings.test.ts compares all pages and sessions.
import { answerRequests, recordedLines, whenRecorded, type AnsweringServer } from '@bowyer/testing';
import type { Goal } from './goal.js';
import { nodesOfHtml } from './html-page.js';
import { defaultsOf } from '../option.js';
import { webShopSchema } from './options.js';
import { pagePath, scoreOf, type PageRequest } from './page.js';
import { productOf, type Product } from './product.js';
import { MemoryProducts } from './product-store.js';
import { Shop } from './shop.js';
import { WebShop } from './webshop.js';

const siteFile = 'transcripts/webshop_site.jsonl';
const recorded = whenRecorded(siteFile);

interface SiteLine {
  request: { path: string };
  response: { status: number; text: string };
}

const pages = new Map(recordedLines<SiteLine>(siteFile).map(({ request, response }) => [request.path, response]));

const htmlOf = (path: string): string => {
  const page = pages.get(path);
  if (page === undefined) throw new Error(`not recorded: ${path}`);
  return page.text;
};

/** Returns the `<pre>` that follows a label of the done page, with its entities decoded. */
function preAfter(html: string, id: string): string {
  const found = new RegExp(`id="${id}">[^<]*<pre>([^<]*)</pre>`).exec(html);
  if (found === null) throw new Error(`no ${id} on the page`);
  return found[1].replaceAll('&#39;', "'").replaceAll('&#34;', '"').replaceAll('&amp;', '&');
}
const pythonList = (text: string) => [...text.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, a, b]) => a ?? b);

function productOn(html: string, asin: string, done: string): Product {
  const nodes = nodesOfHtml(html);
  const options: Record<string, { value: string }[]> = {};
  let last = '';
  for (const { kind, text } of nodes) {
    if (kind === 'option') (options[last] ??= []).push({ value: text });
    if (kind === 'text') last = text.trim();
  }
  const price = nodes.findIndex(({ text }) => text.startsWith('Price: '));
  return productOf(
    {
      asin,
      name: nodes[price - 1].text,
      pricing: nodes[price].text,
      customization_options: options,
      query: preAfter(done, 'purchased-query'),
      product_category: preAfter(done, 'purchased-pc'),
    },
    { attributes: pythonList(preAfter(done, 'purchased_attrs')) },
  );
}

/** Joins the literals to which Python breaks a long name. */
function goalTitle(done: string): string {
  const literals = /&#39;name&#39;: ([^]*?),\n &#39;price_upper/.exec(done)?.[1].replaceAll('&#39;', "'") ?? '';
  return pythonList(
    literals
      .replaceAll('&#34;', '"')
      .replaceAll('&amp;', '&')
      .replace(/'(?=S )/g, '’'),
  ).join('');
}

function goalOn(done: string): Goal {
  return {
    asin: preAfter(done, 'goal-asin'),
    title: goalTitle(done),
    query: preAfter(done, 'goal-query'),
    productCategory: preAfter(done, 'goal-pc'),
    instruction: preAfter(done, 'goal-instruction-text'),
    attributes: pythonList(preAfter(done, 'goal-attrs')),
    options: pythonList(preAfter(done, 'goal-options')),
    priceCap: Number(preAfter(done, 'goal-price')),
  };
}

/** Every recorded purchase: its session, the pages that were opened, the product and the goal. */
const purchases = [...pages.keys()]
  .filter((path) => path.startsWith('/done/'))
  .map((path) => {
    const [, , session, asin] = path.split('/');
    const done = htmlOf(path);
    const itemPath = [...pages.keys()].find((other) => other.startsWith(`/item_page/${session}/${asin}/`)) ?? '';
    const dict = decodeURIComponent(path.split('/')[4]);
    const chosen = new Map([...dict.matchAll(/'([^']*)': '([^']*)'/g)].map(([, name, value]) => [name, value]));
    return { session, asin, chosen, product: productOn(htmlOf(itemPath), asin, done), goal: goalOn(done) };
  });

/** Makes a shop whose goal k is the recorded session's. */
function shopOf(session: string, product: Product, goal: Goal): Shop {
  const goals: Goal[] = [];
  goals[Number(session.slice('fixed_'.length))] = goal;
  return new Shop(new MemoryProducts([product]), goals);
}

recorded.describe('recorded pages of the site', () => {
  test.each(purchases)('$session: the score is the embedded shop’s', ({ session, asin, chosen, product, goal }) => {
    const shop = shopOf(session, product, goal);
    const done: PageRequest = { page: 'done', session, asin, chosen };
    const theirs = Number(scoreOf(nodesOfHtml(htmlOf(pagePath(done)))));
    expect(Number(scoreOf(shop.nodes(done)))).toBeCloseTo(theirs, 12);
  });

  test('a text ends where any tag does, so that indentation does not matter', () => {
    const told = nodesOfHtml(htmlOf('/search_results/fixed_80/easy%20clean/1')).map(({ text }) => text);
    expect(told.filter((text) => text !== text.trim() && text !== 'Instruction: ')).toEqual([]);
  });
});

/** Serves the recorded pages by their path. */
const recordedSite = (): Promise<AnsweringServer> =>
  answerRequests(({ path, response }) => {
    const page = pages.get(path);
    response.writeHead(page?.status ?? 404, { 'content-type': 'text/html' }).end(page?.text ?? 'not recorded');
  });

recorded.describe('a session over HTTP on the recorded pages', () => {
  test('fixed_80: the options of the item are shown, and the score is the site’s', async () => {
    const { address: baseUrl, close } = await recordedSite();
    const env = new WebShop({ ...defaultsOf(webShopSchema), backend: 'site', baseUrl, timeoutMs: 5000 });
    const { observation } = await env.reset({ goal: 80 });
    expect(observation).toMatch(
      /^\nObservation:\n\nWebShop \nInstruction: {2}\ni need .* \n\[Search\] \nInstruction:\ni need .* $/,
    );
    const actions = ['search[easy clean]', 'click[B09C8FZ9YS]', 'click[white]', 'click[4 ounce]', 'click[Buy Now]'];
    const results = [];
    for (const action of actions) results.push(await env.step(action));
    expect(results[2].info.text).toBe('You have clicked white.');
    const theirs = scoreOf(
      nodesOfHtml([...pages].find(([path]) => path.startsWith('/done/fixed_80/'))?.[1].text ?? ''),
    );
    expect(results[4]).toMatchObject({ reward: Number(theirs), terminated: true, truncated: false });
    await env.close();
    close();
  });

  test('a page that is not served is an error that names it', async () => {
    const { address: baseUrl, close } = await recordedSite();
    const env = new WebShop({ ...defaultsOf(webShopSchema), backend: 'site', baseUrl, timeoutMs: 5000 });
    await expect(env.reset({ goal: 77 })).rejects.toThrow(`GET ${baseUrl}/fixed_77 answered 404`);
    await env.close();
    close();
  });
});
