// Defines the options of the environment `webshop`, and caches the shops (products, goals and search index) that were loaded.
import { choice, defaulting, integer, LONGEST_WAIT_MS, option, text } from '@bowyer/core';
import { agentGymProperties } from '../agentgym/options.js';
import { makeCatalogue } from './catalogue.js';
import { MemoryProducts } from './product-store.js';
import { goalsOf, openProducts } from './shop-files.js';
import { Shop } from './shop.js';
import { options, type OptionsOf } from '../option.js';

export const webShopSchema = options({
  backend: choice(
    ['embedded', 'site', 'agentgym'],
    'embedded',
    "'embedded': the shop is in this process; 'site': a running site of Princeton's at base_url; 'agentgym': AgentGym's server there.",
  ),
  baseUrl: text(
    null,
    'Address of the site or server, such as http://localhost:3000; null: none, for the embedded shop.',
  ),
  actionFormat: defaulting(agentGymProperties.actionFormat, 'plain'),
  timeoutMs: integer(60_000, 'Longest wait for the answer of the server, in milliseconds.', {
    maximum: LONGEST_WAIT_MS,
  }),
  testItems: agentGymProperties.testItems,
  connections: agentGymProperties.connections,
  observation: choice(
    ['archer', 'page', 'text'],
    'archer',
    "'archer': the whole history, then the instruction; 'page': the page with what is chosen in it, then the instruction, for small models; 'text': the page joined by [SEP], as AgentGym's server.",
  ),
  maxTurns: integer(10, 'Actions after which an episode is truncated.'),
  webshopLower: integer(
    null,
    "Number of the first goal that episodes may draw; null: 0 in the embedded shop, ArCHer's 2000 on a site.",
    {
      minimum: 0,
    },
  ),
  webshopUpper: integer(
    null,
    "One more than the number of the last goal that episodes may draw; null: all of the embedded shop's or the server's, ArCHer's 2100 on a site.",
  ),
  products: text(null, "WebShop's items file (a JSON array of any size); null: the generated catalogue."),
  attributes: text(
    null,
    "WebShop's attributes file, for the items file that `products` names; null: products have no attributes.",
  ),
  goals: text(
    null,
    "WebShop's human instructions file, for the products given; or a JSON list of goals in the form and order of its servers; null: none, for synthetic goals or the generated catalogue.",
  ),
  goalKind: choice(
    ['human', 'human_every_cap', 'synthetic'],
    'human',
    "Goals for the given products. 'human': one of each human instruction, as WebShop's site; 'human_every_cap': one for each price cap, as AgentGym's fork; 'synthetic': one for each combination of options, as AgentGym's server.",
  ),
  productLimit: integer(
    null,
    "Records of the products file that are read, as AgentGym's server reads 1000; null: all.",
  ),
  indexDir: text(
    null,
    'Folder that keeps large catalogues and their search index between runs; null: the folder of the products file, if that is over 32 MiB.',
  ),
  numProducts: integer(null, 'Products in the generated catalogue; null: 2400, with serve_env 4000.'),
  numGoals: integer(
    null,
    "Goals in the generated catalogue, at most one for a product; null: 500, with serve_env 3930, as many as AgentGym's server has.",
  ),
  catalogueSeed: option<number>({
    description: 'Seed of the generated catalogue, and of the price caps of human goals.',
    type: 'integer',
    default: 233,
  }),
});

export type WebShopOptions = OptionsOf<typeof webShopSchema>;

/** The numbers of products and goals in the generated catalogue, which is used if no file of products is set. */
const OWN_SHOP = { products: 2400, goals: 500 } as const;

/** The default range of goals with the backend `site`, which is that of ArCHer's experiments. */
export const ARCHER_GOALS = { lower: 2000, upper: 2100 } as const;

/** The loaded shops, by their options. All environments share them, since a shop never changes. */
const loadedShops = new Map<string, Shop>();

export function loadShop(options: WebShopOptions): Shop {
  const { products, attributes, goals, goalKind, productLimit, indexDir } = options;
  const { numProducts, numGoals, catalogueSeed } = options;
  const key = JSON.stringify([
    products,
    attributes,
    goals,
    goalKind,
    productLimit,
    indexDir,
    numProducts,
    numGoals,
    catalogueSeed,
  ]);
  let shop = loadedShops.get(key);
  if (shop === undefined) {
    shop = products === null ? ownShop(options) : shopOfFiles({ ...options, products });
    loadedShops.set(key, shop);
  }
  return shop;
}

function ownShop({ numProducts, numGoals, catalogueSeed }: WebShopOptions): Shop {
  const { products, goals } = makeCatalogue(
    catalogueSeed,
    numProducts ?? OWN_SHOP.products,
    numGoals ?? OWN_SHOP.goals,
  );
  return new Shop(new MemoryProducts(products), goals);
}

function shopOfFiles(options: WebShopOptions & { products: string }): Shop {
  const { products, search } = openProducts(options);
  const { goalKind: kind, goals: file, catalogueSeed: seed } = options;
  return new Shop(products, goalsOf(products, { kind, file, seed }), search);
}
