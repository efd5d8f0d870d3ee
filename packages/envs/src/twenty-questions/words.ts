// Lists the 157 objects of Twenty Questions in 17 categories, in the order of ArCHer's list. `;` separates the spellings of an
// object. Source: Zhou et al. 2024 (arXiv:2402.19446) after Abdulhai et al. 2023 (arXiv:2311.18232).
import { UnknownNameError } from '../contract/unknown-name-error.js';
import type { Attribute } from './truths.js';

export interface Word {
  /** The first spelling in lower case, by which the oracle and the tables refer to the word. */
  name: string;
  /** All spellings that count as the name of the word, in lower case. */
  variants: readonly string[];
  category: string;
  /** The index in the table of answers to which the word belongs; 0 to 156 for built-in words. */
  index: number;
  /** The questions with answers from a user's word file; absent for built-in words, which have the attribute table. */
  table?: readonly Attribute[];
}

const categories = {
  sports:
    'Basketball, Football, Baseball, Soccer ball, Golf ball, Tennis ball, Volleyball, Tennis racket, Baseball bat, Helmet',
  animals: 'Cat, Dog, Horse, Cow, Sheep, Rabbit, Lion, Tiger, Bear, Elephant',
  fruits: 'Apple, Banana, Orange, Strawberry, Grape, Watermelon, Pineapple, Mango, Cantaloupe, Peach',
  vehicles: 'Car, Truck, Motorcycle, Boat, Airplane;Plane, Train, Bus, Helicopter, Scooter, Ship',
  clothes:
    'Shirt, Pants;Pant;Pair of pants, Jacket, Dress, Skirt, Belt, Shoes;Shoe;Pair of shoes, Boots;Boot;Pair of boots, Socks;Sock;Pair of socks, Hat, Scarf',
  electronics:
    'Computer, Smartphone, Television;TV, Headphone;Headphones;Pair of headphones, Monitor;Computer monitor, Camera, Microwave;Microwave oven, Refrigerator, Blender, Computer keyboard;Keyboard',
  instruments: 'Piano, Guitar, Drum;Drums, Violin, Saxophone, Flute, Trumpet, Clarinet, Harp, Trombone',
  furniture: 'Chair, Table, Bed, Desk, Couch, Dresser, Bookcase, Nightstand, Mattress, Pillow',
  office:
    'Pen, Paper;Piece of paper, Stapler, Printer, Calculator, Battery;Battery pack;Pack of batteries, Toothbrush, Toothpaste, Pencil, Sharpie, Scissors;Pair of scissors, Key, Diary, Calendar',
  vegetables: 'Carrot, Potato, Broccoli, Tomato, Onion, Spinach, Corn, Peas;Pea, Celery, Cucumber',
  art: 'Painting;Canvas painting;Oil painting;Watercolor painting, Paintbrush, Canvas;Painting canvas, Eraser;Pencil eraser, Marker, Glue;Glue stick;Bottle of glue, Sculpture',
  kitchen:
    'Knife, Spoon, Fork, Plate, Bowl, Cooking pot;Pot, Pan;Saucepan;Frying pan, Cup, Chopstick;Chopsticks;Pair of chopsticks, Whisk',
  nature: 'Rock, Tree, Bush, Mountain, Forest, Ocean, Sea, Lake, River, Meteorite, Cactus',
  toys: 'Lego;Lego set, Doll;Toy doll;Plush doll, Kite, Puzzle;Jigsaw puzzle',
  jewelry: 'Earring;Earrings;Pair of earrings, Necklace, Bracelet, Ring, Brooch, Hairclip, Pendant, Watch, Locket',
  garden: 'Gloves;Glove;Pair of gloves, Shovel, Rake, Watering can, Lawn mower',
  tools: 'Hammer, Screwdriver, Wrench, Saw, Pliers;plier;Pair of pliers, Drill',
} as const;

export type Category = keyof typeof categories;

export const allWords: readonly Word[] = Object.entries(categories)
  .flatMap(([category, list]) => list.split(', ').map((entry) => ({ category, entry })))
  .map(({ category, entry }, index) => {
    const variants = entry.toLowerCase().split(';');
    return { name: variants[0], variants, category, index };
  });

/** The ten words of the variant Twenty Questions Subset: those with the indices 1, 11, 21 … 91. */
export const subset10: readonly Word[] = Array.from({ length: 10 }, (_, i) => allWords[1 + 10 * i]);

/** Plural and uncountable words, which have no article in “is it …?”. */
const withoutArticle = new Set(
  'pants, shoes, boots, socks, paper, toothpaste, scissors, broccoli, spinach, corn, peas, celery, glue, gloves, pliers, lego'.split(
    ', ',
  ),
);

/** Returns a spelling that wins even if only the last token of a question is compared; if there is none, the first spelling. */
function guessableVariant(word: Word): string {
  return word.variants.find((variant) => !variant.includes(' ')) ?? word.name;
}

/** Returns the standard wording of a guess: "is it a dog?", "is it an apple?", "is it scissors?". */
export function guessQuestion(word: Word): string {
  const spelling = guessableVariant(word);
  if (withoutArticle.has(spelling)) return `is it ${spelling}?`;
  return `is it ${/^[aeiou]/.test(spelling) ? 'an' : 'a'} ${spelling}?`;
}

export function findWord(name: string): Word {
  const spelling = name.trim().toLowerCase();
  const word = allWords.find(({ variants }) => variants.includes(spelling));
  if (word) return word;
  throw new UnknownNameError(
    'word',
    name,
    allWords.flatMap(({ variants }) => variants),
  );
}
