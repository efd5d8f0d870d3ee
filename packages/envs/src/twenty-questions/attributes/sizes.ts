// How much room each thing takes, for "is it bigger than …?": litres of a box around it, smallest to largest usual specimen.
import { allWords, findWord, type Word } from '../words.js';
import type { Truth } from './attribute.js';

/** litres, low–high */
export type Size = readonly [number, number];

const sizesOfWords = `
  basketball 13-15, football 5-7, baseball 0.4-0.5, soccer ball 10-12, golf ball 0.07-0.08, tennis ball 0.28-0.35,
  volleyball 9-11, tennis racket 4-6, baseball bat 3-4, helmet 8-20,
  cat 8-30, dog 6-250, horse 1500-3500, cow 1200-3000, sheep 150-500, rabbit 3-20, lion 600-1500, tiger 600-1500,
  bear 500-2500, elephant 12000-40000,
  apple 0.3-0.6, banana 0.3-0.6, orange 0.3-0.8, strawberry 0.02-0.06, grape 0.005-0.012, watermelon 6-25,
  pineapple 2-6, mango 0.3-1, cantaloupe 2-5, peach 0.25-0.5,
  car 9000-16000, truck 25000-150000, motorcycle 1200-2800, boat 2000-300000, airplane 100000-20000000,
  train 1000000-50000000, bus 60000-130000, helicopter 60000-600000, scooter 80-1500, ship 5000000-2000000000,
  shirt 0.8-3, pants 1-4, jacket 3-12, dress 1-10, skirt 0.8-5, belt 0.4-1.5, shoes 4-10, boots 6-18, socks 0.1-0.5,
  hat 1.5-10, scarf 0.5-3,
  computer 2-60, smartphone 0.07-0.15, television 20-250, headphone 0.05-4, monitor 20-80, camera 0.2-3,
  microwave 40-80, refrigerator 500-1600, blender 8-16, computer keyboard 1-4,
  piano 900-5000, guitar 30-60, drum 15-250, violin 5-8, saxophone 12-40, flute 0.5-1, trumpet 5-9, clarinet 1-3,
  harp 150-900, trombone 15-30,
  chair 120-500, table 200-2500, bed 1000-4500, desk 400-1800, couch 900-3500, dresser 350-1200, bookcase 200-1500,
  nightstand 70-200, mattress 250-1000, pillow 15-45,
  pen 0.01-0.03, paper 0.005-0.02, stapler 0.25-0.6, printer 20-150, calculator 0.1-0.5, battery 0.005-10,
  toothbrush 0.03-0.08, toothpaste 0.1-0.3, pencil 0.01-0.02, sharpie 0.02-0.03, scissors 0.1-0.5, key 0.003-0.02,
  diary 0.3-1.2, calendar 0.3-2,
  carrot 0.1-0.4, potato 0.15-0.6, broccoli 1-3, tomato 0.1-0.5, onion 0.2-0.6, spinach 0.05-1.5, corn 0.4-1,
  peas 0.0005-0.002, celery 0.2-2.5, cucumber 0.4-1,
  painting 1-150, paintbrush 0.03-0.6, canvas 1-150, eraser 0.005-0.05, marker 0.02-0.06, glue 0.03-0.4, sculpture 1-50000,
  knife 0.05-0.4, spoon 0.05-0.3, fork 0.05-0.2, plate 0.8-2, bowl 0.8-5, cooking pot 3-25, pan 3-12, cup 0.3-1,
  chopstick 0.005-0.02, whisk 0.8-2.5,
  rock 0.001-50000, tree 10000-10000000, bush 200-20000, mountain 1e11-1e16, forest 1e9-1e15, ocean 1e19-1e21, sea 1e16-1e19,
  lake 1e8-1e16, river 1e8-1e15, meteorite 0.001-20000, cactus 0.2-60000,
  lego 0.001-20, doll 0.3-15, kite 3-40, puzzle 0.5-8,
  earring 0.0005-0.02, necklace 0.02-0.2, bracelet 0.03-0.2, ring 0.002-0.006, brooch 0.005-0.05, hairclip 0.01-0.1,
  pendant 0.002-0.03, watch 0.04-0.15, locket 0.003-0.02,
  gloves 0.5-2, shovel 20-50, rake 25-60, watering can 8-25, lawn mower 250-900,
  hammer 0.8-2, screwdriver 0.1-0.4, wrench 0.15-0.8, saw 2-5, pliers 0.2-0.6, drill 3-8`;

/** Things that questions compare with although they are not among the words. */
const sizesOfReferences = `
  person 100-250, human 100-250, man 120-250, woman 100-200, adult 100-250, child 40-120, baby 10-25, hand 0.6-1.2, fist 0.4-0.8,
  finger 0.02-0.05, shoebox 8-13, shoe box 8-13, breadbox 15-30, bread box 15-30, toaster 8-15, backpack 20-45, suitcase 40-120,
  mouse 0.1-0.3, coin 0.0005-0.001, penny 0.0004-0.0006, quarter 0.0008-0.001, book 0.5-3, phone 0.07-0.15, loaf of bread 2-4,
  grapefruit 0.8-1.5, softball 0.8-1, door 60-150, room 20000-80000, house 200000-1500000, building 200000-100000000,
  football field 1e7-1e9, city 1e11-1e14, laptop 2-4, bicycle 600-1200, bike 600-1200, whale 50000-400000, dinner plate 0.8-2,
  washing machine 250-400, milk carton 1-2.5, bucket 8-20, bathtub 250-500, school bus 80000-110000, credit card 0.003-0.005`;

const sizeOfWord: readonly Size[] = (() => {
  const table = parseSizes(sizesOfWords);
  return allWords.map((word) => {
    const size = table.get(word.name);
    if (size === undefined) throw new Error(`sizes: '${word.name}' has no size`);
    return size;
  });
})();

const referenceSizes = parseSizes(sizesOfReferences);

export const sizeOf = (word: Word): Size => sizeOfWord[word.index];

/** The size of what a question compares with: one of the words or a common thing; null when it is neither. */
export function sizeByName(name: string): Size | null {
  const reference = referenceSizes.get(name);
  if (reference) return reference;
  const word = allWords.find(({ variants }) => variants.includes(name));
  return word ? sizeOf(word) : null;
}

/** yes when even a small specimen beats a large reference, no when even a large one stays below a small reference. */
export function isBigger(size: Size, than: Size): Truth {
  if (size[0] > than[1]) return 'yes';
  if (size[1] < than[0] || (size[0] === than[0] && size[1] === than[1])) return 'no';
  return 'unclear';
}

function parseSizes(text: string): Map<string, Size> {
  const entries = text.split(',').map((entry) => entry.trim());
  return new Map(
    entries.map((entry) => {
      const match = /^(.+) ([\d.e]+)-([\d.e]+)$/.exec(entry);
      if (!match) throw new Error(`sizes: cannot read '${entry}'; expected 'name low-high' in litres`);
      return [match[1], [Number(match[2]), Number(match[3])] as const];
    }),
  );
}

/** Every spelled name here is a word of the game; a typing error fails at load. */
for (const name of parseSizes(sizesOfWords).keys()) findWord(name);
