// Lists words of the TextWorldExpress games, in the order of its program, since the generator draws indices into the lists.
import { hashTrieOrder } from '../hash-order.js';
import type { Fold } from '../parameters.js';

const words = (text: string) => text.split(', ');

/** The 48 room names of the game mapreader, in the order from which the generator draws indices. */
export const roomNames: readonly string[] = hashTrieOrder(
  words(
    'washroom, bathroom, cupboard, pantry, basement, closet, kitchen, kitchenette, launderette, laundromat, ' +
      'laundry place, shower, sauna, steam room, attic, garage, vault, cellar, spare room, canteen, cookery, scullery, ' +
      'cookhouse, bedroom, bedchamber, chamber, lounge, bar, parlor, salon, playroom, recreation zone, office, studio, ' +
      'workshop, cubicle, study, greenhouse, outside, street, driveway, supermarket, alley, side yard, living room, ' +
      'library, storage room, backyard',
  ),
);

export interface Noun {
  readonly one: string;
  readonly many: string;
}

const nounsOf = (text: string): Noun[] =>
  words(text).map((pair) => {
    const [one, many] = pair.split('/');
    return { one, many };
  });

/** The things that are counted, sorted and pointed at. As in TextWorldExpress, the dev fold has a duplicate and a misspelling. */
export const nouns: Readonly<Record<Fold, readonly Noun[]>> = {
  train: nounsOf(
    'apple/apples, orange/oranges, grape/grapes, tangerine/tangerines, banana/bananas, pineapple/pineapples, ' +
      'papaya/papayas, peach/peaches, strawberry/strawberries, grapefruit/grapefruits',
  ),
  dev: nounsOf(
    'broccoli/brocollis, onion/onions, cucumber/cucumbers, potato/potatoes, cucumber/cucumbers, coconut/coconuts, ' +
      'watermelon/watermelons, mango/mangos, olive/olives, lime/limes, pear/pears',
  ),
  test: nounsOf(
    'pepper/peppers, tomato/tomatoes, eggplant/eggplants, squash/squashes, pumpkin/pumpkins, pea/peas, ' +
      'avocado/avocados, cabbage/cabbages, prune/prunes, blueberry/blueberries',
  ),
};

/** The materials whose quantities are sorted in the game sorting. */
export const materials: Readonly<Record<Fold, readonly string[]>> = {
  train: words('wood, oak, cedar, marble, brick'),
  dev: words('acrylic, nylon, plastic, concrete, steel'),
  test: words('brass, aluminum, metal, rubber, glass'),
};

/** The gestures that the game simonsays may ask for. */
export const gestures: Readonly<Record<Fold, readonly string[]>> = {
  train: words('sit down, turn around in a circle, jump up and down, hop on your right foot, meow like a cat'),
  dev: words('hop on your left foot, clap your hands, touch your nose, wiggle your fingers, quack like a duck'),
  test: words('hop to the left, touch your ears, do a dance, wave hello, wiggle your toes'),
};
