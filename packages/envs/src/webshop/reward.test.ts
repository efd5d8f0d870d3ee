import type { Goal } from './goal.js';
import { productOf } from './product.js';
import { purchaseReward } from './reward.js';
import { tokenSetRatio } from './token-set-ratio.js';

const kettle = productOf(
  {
    ...{ asin: 'B000000001', name: 'Arlow Tea Kettles', pricing: '$20', query: 'tea kettles' },
    ...{ product_category: 'Home › Kitchen › Tea Kettles', small_description: ['Whistling lid'] },
  },
  { attributes: ['stainless steel'] },
);
const goal: Goal = {
  ...{ asin: 'B000000001', title: kettle.title, query: 'tea kettles', productCategory: kettle.productCategory },
  ...{ instruction: '', attributes: ['stainless steel', 'whistling'], options: ['navy blue'], priceCap: 30 },
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
  // 1/3 > 0.2 keeps the type whole; 1/6 does not.
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
