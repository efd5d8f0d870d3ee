import { servedSplits } from '../agentgym/splits.js';
import { listedSplits, type SplitPlan } from '../splits.js';
import { ARCHER_GOALS, loadShop, type WebShopOptions } from './options.js';

/** The indices after the last goals of test and development in WebShop's division (Yao et al. 2022, section 5.1). */
const WEBSHOP_ENDS = { test: 500, eval: 1500 } as const;

export function webShopSplits(options: WebShopOptions): SplitPlan {
  const { backend, webshopLower, webshopUpper, testItems } = options;
  if (backend === 'agentgym') {
    const firstItem = webshopLower ?? 0;
    const items = webshopUpper === null ? null : webshopUpper - firstItem;
    return servedSplits('webshop', { firstItem, items, testItems });
  }
  const plan = { noun: 'goals', reset: (goal: number) => ({ goal }) };
  const train = backend === 'site' ? siteGoals(options) : ownGoals(options);
  // WebShop's own division is used for goals in its site's order if the requested range has only training goals.
  const isSiteOrder = backend === 'site' || (options.products !== null && options.goalKind === 'human');
  if (isSiteOrder && train.length > 0 && train[0] >= WEBSHOP_ENDS.eval)
    return listedSplits({
      ...plan,
      items: { train, eval: range(WEBSHOP_ENDS.test, WEBSHOP_ENDS.eval), test: range(0, WEBSHOP_ENDS.test) },
    });
  return listedSplits({ ...plan, items: train });
}

const siteGoals = ({ webshopLower, webshopUpper }: WebShopOptions): number[] =>
  range(webshopLower ?? ARCHER_GOALS.lower, webshopUpper ?? ARCHER_GOALS.upper);

/** Returns the indices of the known goals of the built-in shop that are in the requested range. */
function ownGoals(options: WebShopOptions): number[] {
  const { goals } = loadShop(options);
  const { webshopLower, webshopUpper, products, goalKind } = options;
  const isWhole = webshopLower === null && webshopUpper === null;
  const isWebShops = products !== null && goalKind === 'human' && goals.length > 2 * WEBSHOP_ENDS.eval;
  const lower = webshopLower ?? (isWhole && isWebShops ? WEBSHOP_ENDS.eval : 0);
  return range(lower, Math.min(webshopUpper ?? goals.length, goals.length)).filter((goal) => goals[goal] !== null);
}

const range = (lower: number, upper: number): number[] =>
  Array.from({ length: Math.max(0, upper - lower) }, (_, i) => lower + i);
