// A catalogue of our own, made from a seed, so that the shop runs without any download: products, then goals.
import { Rng } from '@bowyer/core';
import { drawPriceCap, withCap, type Goal } from './goal.js';
import { productOf, type Product, type ProductRecord } from './product.js';

interface Department {
  path: string;
  /** What is sold, in the plural. */
  wares: readonly string[];
  attributes: readonly string[];
  options: Readonly<Record<string, readonly string[]>>;
  /** Dollars. */
  prices: readonly [number, number];
}

const colour = ['black', 'white', 'navy', 'forest green', 'wine red', 'beige', 'silver', 'pink', 'teal'];
const clothing = ['small', 'medium', 'large', 'x-large', 'xx-large'];

const departments: readonly Department[] = [
  {
    path: 'Clothing › Men',
    wares: ['dress shirts', 'hiking jackets', 'sweatpants', 'polo shirts', 'rain coats'],
    prices: [15, 120],
    attributes: [
      'machine wash',
      'slim fit',
      'long sleeve',
      'quick drying',
      'regular fit',
      'breathable',
      'wrinkle free',
      'organic cotton',
    ],
    options: { color: colour, size: clothing },
  },
  {
    path: 'Clothing › Women',
    wares: ['summer dresses', 'cardigans', 'leggings', 'blouses', 'winter coats'],
    prices: [15, 140],
    attributes: [
      'hand wash',
      'high waist',
      'loose fit',
      'tumble dry',
      'stretch fabric',
      'lined',
      'deep pockets',
      'recycled wool',
    ],
    options: { color: colour, size: clothing },
  },
  {
    path: 'Shoes › Outdoor',
    wares: ['walking boots', 'running shoes', 'sandals', 'slippers'],
    prices: [20, 160],
    attributes: ['rubber sole', 'memory foam', 'water resistant', 'arch support', 'non slip', 'lace up', 'wide toe'],
    options: { color: colour, size: ['6', '7', '8', '9', '10', '11'] },
  },
  {
    path: 'Home › Furniture',
    wares: ['bookcases', 'nightstands', 'coffee tables', 'dining chairs', 'desks'],
    prices: [40, 420],
    attributes: [
      'solid wood',
      'easy assemble',
      'storage space',
      'metal legs',
      'space saving',
      'scratch resistant',
      'steel frame',
    ],
    options: { color: ['black', 'white', 'walnut', 'oak', 'beige'] },
  },
  {
    path: 'Home › Kitchen',
    wares: ['frying pans', 'water bottles', 'lunch boxes', 'knife sets', 'mixing bowls', 'tea kettles'],
    prices: [8, 110],
    attributes: [
      'dishwasher safe',
      'stainless steel',
      'bpa free',
      'leak proof',
      'heat resistant',
      'non stick',
      'stackable',
    ],
    options: { color: colour, size: ['small', 'medium', 'large'] },
  },
  {
    path: 'Home › Bedding',
    wares: ['pillowcases', 'duvet covers', 'throw blankets', 'mattress pads'],
    prices: [12, 130],
    attributes: [
      'super soft',
      'machine wash',
      'hypoallergenic',
      'fade resistant',
      'zipper closure',
      'deep pockets',
      'cooling fabric',
    ],
    options: { color: colour, size: ['twin', 'queen', 'king'] },
  },
  {
    path: 'Home › Lighting',
    wares: ['table lamps', 'ceiling lights', 'night lights', 'floor lamps'],
    prices: [10, 180],
    attributes: [
      'energy efficient',
      'dimmable',
      'easy install',
      'glass shade',
      'bronze finish',
      'remote control',
      'touch switch',
    ],
    options: { color: ['warm white', 'cool white', 'black', 'brass'] },
  },
  {
    path: 'Electronics › Audio',
    wares: ['headphones', 'bluetooth speakers', 'earbuds', 'sound bars'],
    prices: [15, 320],
    attributes: [
      'noise cancelling',
      'long lasting',
      'fast charging',
      'hands free',
      'water resistant',
      'stereo sound',
      'foldable',
    ],
    options: { color: colour },
  },
  {
    path: 'Electronics › Accessories',
    wares: ['phone cases', 'screen protectors', 'charging cables', 'laptop sleeves'],
    prices: [5, 60],
    attributes: [
      'shock absorbing',
      'wireless charging',
      'tempered glass',
      'heavy duty',
      'easy install',
      'ultra thin',
      'braided cord',
    ],
    options: { color: colour, size: ['13 inch', '14 inch', '15 inch', '16 inch'] },
  },
  {
    path: 'Beauty › Hair Care',
    wares: ['shampoos', 'hair masks', 'hair brushes', 'hair dryers'],
    prices: [6, 90],
    attributes: [
      'sulfate free',
      'cruelty free',
      'argan oil',
      'damaged hair',
      'paraben free',
      'travel size',
      'natural ingredients',
    ],
    options: { scent: ['lavender', 'coconut', 'citrus', 'unscented'], size: ['4 ounce', '8 ounce', '16 ounce'] },
  },
  {
    path: 'Beauty › Skin Care',
    wares: ['face creams', 'sunscreens', 'body lotions', 'lip balms'],
    prices: [5, 80],
    attributes: [
      'fragrance free',
      'dry skin',
      'sensitive skin',
      'vitamin c',
      'hyaluronic acid',
      'cruelty free',
      'dermatologist tested',
    ],
    options: { size: ['1 ounce', '2 ounce', '4 ounce'], count: ['1 pack', '2 pack', '3 pack'] },
  },
  {
    path: 'Grocery › Snacks',
    wares: ['granola bars', 'trail mixes', 'crackers', 'dried fruits', 'popcorn'],
    prices: [4, 50],
    attributes: [
      'gluten free',
      'low sugar',
      'non gmo',
      'high protein',
      'dairy free',
      'resealable bag',
      'kosher certified',
    ],
    options: {
      flavor: ['original', 'honey', 'sea salt', 'dark chocolate', 'cinnamon'],
      count: ['6 pack', '12 pack', '24 pack'],
    },
  },
  {
    path: 'Grocery › Beverages',
    wares: ['green teas', 'ground coffees', 'fruit juices', 'cocoa mixes'],
    prices: [5, 60],
    attributes: [
      'caffeine free',
      'fair trade',
      'usda organic',
      'low calorie',
      'rich flavor',
      'small batch',
      'zero sugar',
    ],
    options: { flavor: ['classic', 'vanilla', 'lemon', 'peppermint'], count: ['1 pack', '2 pack', '4 pack'] },
  },
  {
    path: 'Garden › Tools',
    wares: ['pruning shears', 'garden hoses', 'watering cans', 'planters'],
    prices: [8, 110],
    attributes: [
      'rust proof',
      'light weight',
      'ergonomic grip',
      'weather resistant',
      'self draining',
      'expandable',
      'lifetime warranty',
    ],
    options: { color: ['green', 'black', 'terracotta', 'gray'], size: ['small', 'medium', 'large'] },
  },
  {
    path: 'Sports › Fitness',
    wares: ['yoga mats', 'resistance bands', 'jump ropes', 'gym bags', 'dumbbells'],
    prices: [8, 150],
    attributes: [
      'non slip',
      'extra thick',
      'easy clean',
      'carrying strap',
      'sweat proof',
      'eco friendly',
      'adjustable length',
    ],
    options: { color: colour },
  },
  {
    path: 'Sports › Camping',
    wares: ['tents', 'sleeping bags', 'camping chairs', 'headlamps', 'backpacks'],
    prices: [15, 280],
    attributes: [
      'water resistant',
      'quick setup',
      'light weight',
      'wind proof',
      'compact folding',
      'side pockets',
      'reflective strips',
    ],
    options: { color: ['green', 'orange', 'navy', 'gray'], size: ['1 person', '2 person', '4 person'] },
  },
];

const brands = [
  'Arlow',
  'Benwick',
  'Cadmere',
  'Dunvale',
  'Estrel',
  'Fernhall',
  'Galten',
  'Hexley',
  'Ivarro',
  'Juniq',
  'Korvan',
  'Lumeth',
];

/** Goals ask for so many attributes at most. */
const MOST_ATTRIBUTES = 3;

const capitals = (text: string): string => text.replace(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase());

function makeAsin(rng: Rng, taken: Set<string>): string {
  for (;;) {
    const letters = Array.from({ length: 7 }, () => rng.choice([...'0123456789ABCDEFGHJKLMNPQRSTVWXYZ']));
    const asin = `B0Z${letters.join('')}`;
    if (!taken.has(asin)) {
      taken.add(asin);
      return asin;
    }
  }
}

function makeProduct(rng: Rng, asin: string): Product {
  const department = rng.choice(departments);
  const ware = rng.choice(department.wares);
  const attributes = rng.shuffle([...department.attributes]).slice(0, rng.integer(3, 5));
  const options = Object.entries(department.options).map(([name, values]) => {
    const kept = new Set(rng.shuffle([...values]).slice(0, rng.integer(2, 4)));
    return [name, values.filter((value) => kept.has(value)).map((value) => ({ value }))] as const;
  });
  const [low, high] = department.prices;
  // Prices crowd at the cheap end.
  const price = low + (high - low) * rng.uniform() ** 2;
  const range = rng.uniform() < 0.2 ? ` - $${(price * 1.3).toFixed(2)}` : '';
  const record: ProductRecord = {
    asin,
    name: `${rng.choice(brands)} ${capitals(ware)}, ${attributes.slice(0, 2).map(capitals).join(', ')}`,
    full_description: `These ${ware} are made for every day: ${attributes.join(', ')}.`,
    small_description: attributes.map((attribute) => `${capitals(attribute)}: part of how these ${ware} are made.`),
    pricing: `$${price.toFixed(2)}${range}`,
    customization_options: Object.fromEntries(options),
    query: ware,
    product_category: `${department.path} › ${capitals(ware)}`,
  };
  return productOf(record, { attributes });
}

function makeGoal(rng: Rng, product: Product): Goal {
  const { asin, title, query, productCategory } = product;
  const attributes = rng.shuffle([...product.attributes]).slice(0, rng.integer(1, MOST_ATTRIBUTES));
  const wanted = [...product.options].map(([name, values]) => ({ name, value: rng.choice(values) }));
  const priceCap = drawPriceCap(product.price, { sample: (caps, count) => rng.shuffle([...caps]).slice(0, count) });
  const opening = rng.choice(['i need', 'i am looking for', 'find me', 'i would like to buy']);
  const choices = wanted.map(({ name, value }) => `, and i prefer the ${name} ${value}`).join('');
  const instruction = withCap(`${opening} ${query} that are ${attributes.join(' and ')}${choices}`, priceCap);
  const options = wanted.map(({ value }) => value);
  return { asin, title, query, productCategory, instruction, attributes, options, priceCap };
}

/** @param numGoals at most `numProducts`: no two goals ask for the same product */
export function makeCatalogue(
  seed: number,
  numProducts: number,
  numGoals: number,
): { products: Product[]; goals: Goal[] } {
  const rng = Rng.forPurpose(seed, 'webshop catalogue');
  const taken = new Set<string>();
  const products = Array.from({ length: numProducts }, () => makeProduct(rng, makeAsin(rng, taken)));
  const goals = rng
    .shuffle([...products])
    .slice(0, numGoals)
    .map((product) => makeGoal(rng, product));
  return { products, goals };
}
