// Plays episodes of a scripted shopper in the environment `webshop`, as demonstrations on which a policy is trained.
import type { Transition } from '@bowyer/core';
import { playDemonstrations, type Demonstrator, type PlayedDemonstrationOptions } from '../played-demonstrations.js';
import { expertItems } from '../splits.js';
import { webShopSplits } from './splits.js';
import { loadShop, type WebShopOptions } from './options.js';
import { Shopper } from './expert.js';
import { WebShop, type WebShopInfo } from './webshop.js';

/** Returns all texts of the generated products and goals, for a vocabulary; values that can be clicked are in brackets. */
export function webShopTexts(options: WebShopOptions): string[] {
  if (options.products !== null) return [];
  const { products, goals } = loadShop(options);
  const all = Array.from({ length: products.size }, (_, id) => products.at(id));
  const ofProducts = all.flatMap(({ asin, title, description, bullets, options: choices, priceText }) => [
    `[${asin}]`,
    title,
    description,
    ...bullets,
    priceText,
    ...[...choices].flatMap(([name, values]) => [name, ...values.map((value) => `[${value}]`)]),
  ]);
  return [...ofProducts, ...goals.map((goal) => goal?.instruction ?? '')];
}

/** Plays goals that the seed draws. All episodes are kept, also those with a small reward. A random turn is a random click. */
export function webShopDemonstrations(
  options: WebShopOptions,
  played: PlayedDemonstrationOptions,
): Promise<Transition[][]> {
  let shopper = new Shopper(options.maxTurns);
  const expert: Demonstrator = {
    begin: () => (shopper = new Shopper(options.maxTurns)),
    best: (info) => shopper.act(info as WebShopInfo),
    random: (info, rng) => {
      const { validActions } = info as WebShopInfo;
      const usual = shopper.act(info as WebShopInfo); // the shopper must count this turn too
      return validActions.length === 0 ? usual : rng.choice(validActions);
    },
  };
  const embedded: WebShopOptions = { ...options, backend: 'embedded' };
  return playDemonstrations(expertItems(new WebShop(embedded), webShopSplits(embedded)), expert, played);
}
