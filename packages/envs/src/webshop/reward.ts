// Computes the reward of a purchase, which says how well the product fits the customer's goal.
// Source: WebShop (Yao et al. 2022, arXiv:2207.01206), section 3, and its code at commit 64fa2a5.
// Differs from it: nouns are found by a word list, not by a part-of-speech tagger.
import type { Goal } from './goal.js';
import type { Product } from './product.js';
import { plainColour, plainColourOfPair } from './colours.js';
import { tokenSetRatio } from './token-set-ratio.js';

/** The similarity, from 0 to 100, above which two texts count as equal. */
const MATCHING = 85;

/** Words that are not nouns and are frequent in product titles. All other words of a title count as nouns. */
const otherWords = new Set(
  'and or for of with the a an in on to by from set your our new easy long short light dark soft slim loose'.split(' '),
);

interface RewardParts {
  /** The reward from 0 to 1: r_type · (matched attributes + matched options + matched price) / (attributes + options + 1). */
  reward: number;
  rType: number;
  rAtt: number;
  rOption: number;
  rPrice: number;
  titleScore: number;
  queryMatch: boolean;
  categoryMatch: boolean;
}

/** Computes the reward. @param chosen the value that was chosen for each option on the product's page, by the option's name */
export function purchaseReward(product: Product, goal: Goal, chosen: ReadonlyMap<string, string>): RewardParts {
  const type = typeReward(product, goal);
  const attributes = goal.attributes.filter((attribute) => hasAttribute(product, attribute)).length;
  const picked = [...chosen.values()].map(plainColour);
  const wanted = goal.options.map((option) =>
    typeof option === 'string' ? plainColour(option) : plainColourOfPair(option),
  );
  const options = wanted.filter((value) => picked.some((pick) => tokenSetRatio(pick, value) > MATCHING)).length;
  const price = Number(product.price <= goal.priceCap);
  const aspects = goal.attributes.length + goal.options.length + 1;
  return {
    ...type,
    reward: ((attributes + options + price) / aspects) * type.rType, // this order of operations gives the original's last digit
    rAtt: goal.attributes.length === 0 ? 0 : attributes / goal.attributes.length,
    rOption: goal.options.length === 0 ? 0 : options / goal.options.length,
    rPrice: price,
  };
}

function typeReward(product: Product, goal: Goal) {
  const queryMatch = product.query === goal.query;
  const levels = (path: string) => new Set(path.split('›').map((level) => level.trim()));
  const goalLevels = levels(goal.productCategory);
  const categoryMatch = [...levels(product.productCategory)].filter((level) => goalLevels.has(level)).length >= 2;
  const titleScore = titleOverlap(product.title, goal.title);
  let rType = queryMatch || categoryMatch || titleScore > 0.2 ? 1 : 0.5;
  if (titleScore < 0.1) rType = 0.1;
  // A title without any common noun gives 0, even if the query or the category matches.
  if (titleScore === 0) rType = 0;
  return { rType, titleScore, queryMatch, categoryMatch };
}

const nounsOf = (title: string): string[] =>
  (title.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => word.length > 1 && !otherWords.has(word));

/** Returns the share of the goal title's distinct nouns that the title has; 0.2 if the goal's title has none. */
function titleOverlap(title: string, goalTitle: string): number {
  const goalNouns = nounsOf(goalTitle);
  if (goalNouns.length === 0) return 0.2;
  const nouns = new Set(nounsOf(title));
  return new Set(goalNouns.filter((noun) => nouns.has(noun))).size / goalNouns.length;
}

function hasAttribute(product: Product, attribute: string): boolean {
  if (product.attributes.some((own) => tokenSetRatio(own, attribute) > MATCHING)) return true;
  return [product.title, product.bullets.join(' '), product.description].some((text) =>
    text.toLowerCase().includes(attribute),
  );
}
