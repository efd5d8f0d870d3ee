// Lists the nouns of guesses "is it a …?": those that name a word of the game or a kind of it, and other common nouns.
import type { Truth } from './attributes/attribute.js';
import { allWords, findWord, type Word } from './words.js';
import { singular } from './question-form.js';

/** Other everyday names of the game's words: a guess of a sofa is a guess of the word couch. */
const synonyms: Record<string, string> = {
  sofa: 'couch',
  fridge: 'refrigerator',
  trousers: 'pants',
  motorbike: 'motorcycle',
  lorry: 'truck',
  aeroplane: 'airplane',
  'cell phone': 'smartphone',
  'mobile phone': 'smartphone',
  cellphone: 'smartphone',
  iphone: 'smartphone',
  'smart phone': 'smartphone',
  bunny: 'rabbit',
  spade: 'shovel',
  maize: 'corn',
  wristwatch: 'watch',
  lawnmower: 'lawn mower',
  bookshelf: 'bookcase',
  'night stand': 'nightstand',
  'bedside table': 'nightstand',
  'hair clip': 'hairclip',
  'paint brush': 'paintbrush',
  'tooth brush': 'toothbrush',
  'tooth paste': 'toothpaste',
  'tv set': 'television',
  'television set': 'television',
  'american football': 'football',
  soccerball: 'soccer ball',
  'tennis racquet': 'tennis racket',
  racket: 'tennis racket',
  bat: 'baseball bat',
  'chest of drawers': 'dresser',
  'piece of paper': 'paper',
  'bed mattress': 'mattress',
  'photo camera': 'camera',
  'power drill': 'drill',
  'water melon': 'watermelon',
  'kitchen knife': 'knife',
  'dining table': 'table',
  'sharpie marker': 'sharpie',
  'permanent marker': 'sharpie',
};

/** The more specific words for which a guess of a general noun is true, by the noun: for a sharpie, "is it a marker?" is true. */
const kindsOf: Record<string, string> = { marker: 'sharpie', rock: 'meteorite', pendant: 'locket', shoes: 'boots' };

/** The words for which people would disagree about a guess, by noun: is a lion a cat, a ship a boat, a desk a table? */
const disputed: Record<string, string> = {
  cat: 'lion, tiger',
  boat: 'ship',
  ship: 'boat',
  table: 'desk, nightstand',
  pen: 'sharpie, marker',
  sea: 'ocean',
  ocean: 'sea',
  computer: 'smartphone',
  canvas: 'painting',
  painting: 'canvas',
  necklace: 'pendant, locket',
  pan: 'cooking pot',
  'cooking pot': 'pan',
  scooter: 'motorcycle',
  motorcycle: 'scooter',
  camera: 'smartphone',
  monitor: 'television',
  television: 'monitor',
  bush: 'cactus',
  hat: 'helmet',
};

/** Common things that are not among the 157 words of the game, nor a kind of any of them. */
const others = new Set(
  (
    'zebra giraffe monkey gorilla pig goat chicken duck goose bird eagle parrot penguin owl fish shark whale dolphin snake lizard ' +
    'turtle frog wolf fox deer moose squirrel mouse rat hamster kangaroo koala panda hippo rhino crocodile alligator spider ant bee ' +
    'butterfly donkey camel insect reptile amphibian dinosaur human person man woman baby ' +
    'pear plum cherry lemon lime kiwi blueberry raspberry blackberry coconut grapefruit papaya fig date apricot avocado pomegranate ' +
    'lettuce cabbage cauliflower pepper garlic mushroom zucchini eggplant pumpkin radish beet asparagus rice bread cheese egg ' +
    'meat cake cookie pizza sandwich soup pasta milk coffee tea juice water beer candy chocolate sugar salt ' +
    'bicycle bike van taxi tractor tank rocket spaceship submarine canoe kayak yacht skateboard sled wagon tram subway ambulance jet ' +
    'sweater coat tie glasses sunglasses sandal slipper umbrella purse wallet backpack suitcase bag underwear bra swimsuit shorts ' +
    'laptop tablet radio speaker mouse router clock lamp fan oven stove toaster dishwasher kettle vacuum dryer lightbulb ' +
    'harmonica accordion banjo cello tuba oboe xylophone ukulele bell organ ' +
    'stool bench wardrobe cabinet shelf mirror carpet rug curtain blanket sheet door window wall roof house building bridge road ' +
    'ruler notebook newspaper magazine envelope stamp folder paperclip crayon chalk tape rope chain ' +
    'comb soap shampoo towel toilet sink bathtub shower razor sponge broom mop bucket ' +
    'bottle mug tray ladle spatula grater strainer colander napkin tongs ' +
    'sun moon star planet cloud rain snow ice fire desert beach island volcano waterfall flower rose grass leaf seed sand cave hill valley ' +
    'balloon yoyo frisbee dice chess card robot swing ' +
    'crown tiara anklet cufflink hoe hose wheelbarrow axe chisel nail screw bolt ladder gun sword money coin photograph'
  ).split(' '),
);

/** The words for which a guess is true of some specimens only, by the guessed noun: some computers are laptops. */
const sometimes: Record<string, string> = {
  laptop: 'computer',
  tablet: 'computer',
  mug: 'cup',
  jet: 'airplane',
  yacht: 'boat, ship',
  canoe: 'boat',
  kayak: 'boat',
  coat: 'jacket',
  sandal: 'shoes',
  slipper: 'shoes',
  notebook: 'diary, computer',
  shelf: 'bookcase',
  cabinet: 'dresser, nightstand',
  van: 'car',
  taxi: 'car',
  ambulance: 'car, truck',
  tram: 'train',
  subway: 'train',
  robot: 'doll',
};

/** The thing that a guess names: a word of the game, or another common thing. */
export interface Noun {
  name: string;
  word: Word | null;
}

const wordOfNoun: ReadonlyMap<string, Word> = (() => {
  const nouns = new Map<string, Word>();
  for (const word of allWords) for (const variant of word.variants) nouns.set(nounKey(variant), word);
  for (const [synonym, name] of Object.entries(synonyms)) nouns.set(nounKey(synonym), findWord(name));
  return nouns;
})();

/** Returns the thing that a guess names; null if the noun is unknown. */
export function nounOf(text: string): Noun | null {
  const key = nounKey(text);
  const word = wordOfNoun.get(key);
  if (word) return { name: word.name, word };
  return others.has(key) ? { name: key, word: null } : null;
}

function nounKey(text: string): string {
  return text
    .replace(/^(?:pair|set) of /, '')
    .split(' ')
    .map(singular)
    .join(' ');
}

/** Returns whether a guess of this noun is true for the word. */
export function guessTruth({ name, word: guessed }: Noun, word: Word): Truth {
  if (guessed === word || kindsOf[name] === word.name) return 'yes';
  const depends = guessed === null ? sometimes[name] : disputed[name];
  return depends?.split(', ').includes(word.name) ? 'unclear' : 'no';
}
