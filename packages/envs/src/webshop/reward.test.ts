import type { Goal } from './goal.js';
import { productOf } from './product.js';
import { purchaseReward } from './reward.js';
import { tokenSetRatio } from './token-set-ratio.js';

const kettle = productOf(
  {
    asin: 'B000000001',
    name: 'Arlow Tea Kettles',
    pricing: '$20',
    query: 'tea kettles',
    product_category: 'Home › Kitchen › Tea Kettles',
    small_description: ['Whistling lid'],
  },
  { attributes: ['stainless steel'] },
);
const goal: Goal = {
  asin: 'B000000001',
  title: kettle.title,
  query: 'tea kettles',
  productCategory: kettle.productCategory,
  instruction: '',
  attributes: ['stainless steel', 'whistling'],
  options: ['navy blue'],
  priceCap: 30,
};

test('everything that was asked for earns 1', () => {
  expect(purchaseReward(kettle, goal, new Map([['color', 'navy blue']])).reward).toBe(1);
});
test('a missing option loses its share: (2 attributes + 0 options + 1 price) / (2 + 1 + 1)', () => {
  expect(purchaseReward(kettle, goal, new Map()).reward).toBe(3 / 4);
});
test('a price above the cap loses its share', () => {
  expect(purchaseReward(kettle, { ...goal, priceCap: 19 }, new Map([['color', 'navy blue']])).reward).toBe(3 / 4);
});
test('titles without a common noun earn nothing, even where query and category match', () => {
  const other = { ...kettle, title: 'Benwick Whistler' };
  expect(purchaseReward(other, goal, new Map([['color', 'navy blue']])).reward).toBe(0);
});
test('one noun of three in common, neither query nor category: half of the rest', () => {
  const other = { ...kettle, title: 'Tea', query: 'teas', productCategory: 'Grocery › Tea' };
  // 1/3 > 0.2 keeps the whole type score; 1/6 does not.
  expect(purchaseReward(other, goal, new Map()).rType).toBe(1);
  const longer = { ...goal, title: 'Arlow Tea Kettles Lid Spout Handle' };
  expect(purchaseReward(other, longer, new Map()).rType).toBe(0.5);
});
test('the token-set ratio of a subset is 100, whatever the order', () => {
  expect(tokenSetRatio('steel, stainless', 'Stainless Steel pot')).toBe(100);
});
test('without common tokens it is 200 · matches / length: "ab" and "ac" share one letter of two each', () => {
  expect(tokenSetRatio('ab', 'ac')).toBe(50);
});

// WebShop's own tests of its title score (spaCy's nouns) at 64fa2a5 expect these within 0.01.
const soundbar = 'Saireed UL Listed 2 Prong Power Cord for JBL Bar 3.1 Bar 2.1 Channel 4K Ultra HD Soundbar';
const cord =
  'BRST AC Power Cord Outlet Socket Cable Plug Lead for Panasonic SC-HT830V DVD/VCR Combo Home Theater System';
test.each([
  [`${soundbar} Home Theater System Subwoofer`, cord, 0.3],
  [soundbar, cord, 0.15],
  ['Rusticware 921ORB Kitchen and Bath Cabinet Knob', 'Minkissy 2pcs Stainless Steel Eyebrow Tweezers (Silver)', 0],
])('title score of real titles: %s', (wanted, bought, expected) => {
  const { titleScore } = purchaseReward({ ...kettle, title: bought }, { ...goal, title: wanted }, new Map());
  expect(Math.abs(titleScore - expected)).toBeLessThan(0.01);
});
test('a named option is met by its value alone or by its colour, as in synthetic goals', () => {
  const named = (value: string): Goal => ({ ...goal, options: [['color', value]] });
  // Two attributes, the price and the option are right, of 4.
  expect(purchaseReward(kettle, named('navy blue'), new Map([['color', 'sky blue']])).reward).toBe(1);
  expect(purchaseReward(kettle, named('navy blue'), new Map([['color', 'red']])).reward).toBe(3 / 4);
  expect(purchaseReward(kettle, named('pack of 2'), new Map([['size', 'pack of 2']])).reward).toBe(1);
});
test('ratios are rounded before they are compared, as thefuzz does: 85.2 is 85, no match', () => {
  expect(tokenSetRatio('easy to clean', 'easy clean')).toBe(100);
  expect(tokenSetRatio('essential oils', 'essential oil')).toBe(96);
});
