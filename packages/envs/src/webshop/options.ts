// The options of the shop, and the shops that are already loaded.
import { LONGEST_WAIT_MS } from '@bowyer/core';
import type { AgentGymOptions } from '../agentgym/agentgym-env.js';
import { agentGymProperties } from '../agentgym/options.js';
import { makeCatalogue } from './catalogue.js';
import { MemoryProducts } from './product-store.js';
import { goalsOf, openProducts, type GoalKind } from './shop-files.js';
import { Shop } from './shop.js';

export const webShopSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    backend: {
      description:
        "The place of the shop: 'embedded' in this process; 'site': a running site of Princeton's at base_url; 'agentgym': AgentGym's server there.",
      type: 'string',
      enum: ['embedded', 'site', 'agentgym'],
      default: 'embedded',
    },
    baseUrl: {
      description: 'Address of the site or server, such as http://localhost:3000.',
      type: ['string', 'null'],
      default: null,
    },
    actionFormat: { ...agentGymProperties.actionFormat, default: 'plain' },
    timeoutMs: {
      description: 'Longest wait for an answer, in milliseconds.',
      type: 'integer',
      minimum: 1,
      maximum: LONGEST_WAIT_MS,
      default: 60_000,
    },
    testItems: agentGymProperties.testItems,
    connections: { ...agentGymProperties.connections },
    observation: {
      description:
        "'archer': the whole history, then the instruction; 'page': the page with what is chosen in it, then the instruction, for small models; 'text': the page joined by [SEP], as AgentGym's server.",
      type: 'string',
      enum: ['archer', 'page', 'text'],
      default: 'archer',
    },
    maxTurns: {
      description: 'Actions of an episode; the last of them truncates it.',
      type: 'integer',
      minimum: 1,
      default: 10,
    },
    webshopLower: {
      description: "First goal in play; null: 0 in the embedded shop, ArCHer's 2000 on a site.",
      type: ['integer', 'null'],
      minimum: 0,
      default: null,
    },
    webshopUpper: {
      description:
        "One past the last goal in play; null: all of the embedded shop's or the server's, ArCHer's 2100 on a site.",
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
    },
    products: {
      description: "WebShop's items file (a JSON array of any size); null: a catalogue of our own.",
      type: ['string', 'null'],
      default: null,
    },
    attributes: {
      description: "WebShop's attribute file, of the products given.",
      type: ['string', 'null'],
      default: null,
    },
    goals: {
      description:
        "WebShop's human instructions file, for the products given; or a JSON list of goals in the form and order of its servers.",
      type: ['string', 'null'],
      default: null,
    },
    goalKind: {
      description:
        "Goals of the products given. 'human': one of each human instruction, as WebShop's site; 'human_every_cap': one for each price cap, as AgentGym's fork; 'synthetic': one for each combination of options, as AgentGym's server.",
      type: 'string',
      enum: ['human', 'human_every_cap', 'synthetic'],
      default: 'human',
    },
    productLimit: {
      description: "Records of the products file that are read, as AgentGym's server reads 1000; null: all.",
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
    },
    indexDir: {
      description:
        'Folder that keeps large catalogues and their search index between runs; null: beside the products file, where that is over 32 MiB.',
      type: ['string', 'null'],
      default: null,
    },
    numProducts: {
      description: 'Products in our own catalogue; null: 2400, of a shop that serve_env serves 4000.',
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
    },
    numGoals: {
      description:
        "Goals in our own catalogue, at most one for a product; null: 500, of a shop that serve_env serves AgentGym's 3930.",
      type: ['integer', 'null'],
      minimum: 1,
      default: null,
    },
    catalogueSeed: {
      description: 'Seed of the made-up catalogue and of the price caps of human goals.',
      type: 'integer',
      default: 233,
    },
  },
} as const;

export interface WebShopOptions {
  backend: 'embedded' | 'site' | 'agentgym';
  baseUrl: string | null;
  actionFormat: AgentGymOptions['actionFormat'];
  timeoutMs: number;
  connections: number;
  testItems: string | null;
  observation: 'archer' | 'page' | 'text';
  maxTurns: number;
  webshopLower: number | null;
  webshopUpper: number | null;
  products: string | null;
  attributes: string | null;
  goals: string | null;
  goalKind: GoalKind;
  productLimit: number | null;
  indexDir: string | null;
  numProducts: number | null;
  numGoals: number | null;
  catalogueSeed: number;
}

/** The sizes of our own catalogue. */
const OWN_SHOP = { products: 2400, goals: 500 } as const;

/** The goals of ArCHer's runs, on a site. */
export const ARCHER_GOALS = { lower: 2000, upper: 2100 } as const;

export const webShopDefaults = Object.fromEntries(
  Object.entries(webShopSchema.properties).map(([key, property]) => [key, property.default]),
) as Record<string, unknown> & WebShopOptions;

/** The shops that were loaded, each once however many environments use it, since a shop never changes. */
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
