// Lists the eleven household rooms of the games, their furniture in the order in which descriptions list it, and the possible
// doors between them. The names are those of TextWorldExpress, since actions contain them ("put knife in counter").
import type { JavaRandom } from './java-random.js';
import { move, Room, Thing, type Door, type ThingKind } from './things.js';

type Furniture = readonly [kind: ThingKind, names: string][];

interface RoomPlan {
  joins: readonly string[];
  /** The furniture in the order in which descriptions list it; names of one kind of thing are separated by commas. */
  furniture: Furniture;
}

/** The furniture and possible neighbours of each room; `makeKitchen` draws the kitchen's. Some neighbours are never built. */
const plans = {
  kitchen: { joins: ['corridor', 'pantry', 'backyard', 'living room'], furniture: [] },
  pantry: { joins: ['kitchen'], furniture: [['surface', 'folding chair, shelf']] },
  backyard: {
    joins: ['corridor', 'kitchen', 'living room', 'sideyard', 'alley'],
    furniture: [
      ['device', 'barbeque'],
      ['surface', 'workbench, patio chair, patio table, clothes line, garden'],
    ],
  },
  corridor: {
    joins: ['kitchen', 'bathroom', 'backyard', 'laundry room', 'bedroom', 'living room', 'foyer', 'garage'],
    furniture: [
      ['surface', 'key holder'],
      ['cupboard', 'shoe cabinet'],
      ['surface', 'umbrella stand, hat rack, coat hanger'],
    ],
  },
  bedroom: {
    joins: ['corridor', 'living room'],
    furniture: [
      ['surface', 'dressing table, desk chair, desk'],
      ['cupboard', 'chest of drawers, wardrobe'],
      ['surface', 'night stand, bed'],
    ],
  },
  'living room': {
    joins: ['kitchen', 'bathroom', 'backyard', 'bedroom', 'foyer'],
    furniture: [
      ['cupboard', 'wastepaper basket'],
      ['surface', 'book case, TV stand, arm chair, side table, coffee table, end table, sofa'],
    ],
  },
  bathroom: {
    joins: ['corridor', 'kitchen', 'bedroom', 'living room'],
    furniture: [
      ['surface', 'dressing table, sink, wall hook'],
      ['fixture', 'bath mat'],
      ['surface', 'toilet roll holder, towel rack, bath tub, shower'],
      ['cupboard', 'trash can, bathroom cabinet'],
      ['fixture', 'toilet'],
    ],
  },
  'laundry room': {
    joins: ['corridor', 'kitchen', 'bathroom'],
    furniture: [
      ['surface', 'bench, work table'],
      ['cupboard', 'clothes drier'],
      ['surface', 'laundry basket'],
      ['cupboard', 'washing machine'],
    ],
  },
  driveway: { joins: ['corridor', 'backyard', 'sideyard', 'alley', 'garage'], furniture: [] },
  street: { joins: ['driveway', 'backyard', 'supermarket', 'alley'], furniture: [] },
  supermarket: { joins: ['street', 'alley'], furniture: [['surface', 'showcase']] },
} satisfies Record<string, RoomPlan>;

export type HouseholdRoomName = keyof typeof plans;

/** The order of the rooms from which one-room games draw an index, and in which Coin Collector adds rooms. */
export const roomNumbering: readonly HouseholdRoomName[] = [
  'kitchen',
  'pantry',
  'corridor',
  'bedroom',
  'backyard',
  'living room',
  'bathroom',
  'laundry room',
  'driveway',
  'street',
  'supermarket',
];

/** Makes a room with its furniture, which draws random numbers only for a kitchen: cupboard or table, the knife's place. */
export function makeRoom(name: HouseholdRoomName, random: JavaRandom): Room {
  if (name === 'kitchen') return makeKitchen(random, { hasKnife: false, hasToaster: false });
  const room = new Room(name, plans[name].joins);
  furnish(room, plans[name].furniture);
  return room;
}

export function makeKitchen(random: JavaRandom, has: { hasKnife: boolean; hasToaster: boolean }): Room {
  const kitchen = new Room('kitchen', plans.kitchen.joins);
  const extra: Furniture[number] =
    random.nextInt(2) === 0 ? ['surface', 'dining table'] : ['cupboard', 'kitchen cupboard'];
  furnish(kitchen, [
    ['device', has.hasToaster ? 'stove, oven, toaster' : 'stove, oven'],
    ['cupboard', 'fridge'],
    ['surface', 'counter'],
    extra,
    ['cupboard', 'cutlery drawer, trash can, dishwasher'],
    ['surface', 'dining chair'],
  ]);
  if (has.hasKnife) {
    const place = random.choice([extra[1], 'counter', 'cutlery drawer']);
    move(
      new Thing('knife'),
      kitchen.contents.find((thing) => thing.name === place)!,
    );
  }
  return kitchen;
}

function furnish(room: Room, furniture: Furniture): void {
  for (const [kind, names] of furniture) {
    for (const name of names.split(', ')) move(new Thing(name, { kind }), room);
  }
}

const gardenDoors = ['glass door', 'terrace door', 'mosquito door'];
const streetDoors = ['entrance door', 'steel door'];
const innerDoors = ['wooden door'];

/** The kinds of doors from one room to another, by "from>to". Other ordered pairs of rooms have no door. */
const doorKinds: Readonly<Record<string, readonly string[]>> = {
  'pantry>kitchen': ['milk-glass door', 'simple door'],
  'kitchen>backyard': gardenDoors,
  'corridor>backyard': gardenDoors,
  'living room>backyard': gardenDoors,
  'living room>driveway': streetDoors,
  'corridor>driveway': streetDoors,
  'supermarket>street': ['automatic door', 'shop door'],
  'bedroom>living room': innerDoors,
  'bedroom>bathroom': innerDoors,
  'bedroom>corridor': innerDoors,
  'bathroom>living room': innerDoors,
  'bathroom>bathroom': innerDoors,
  'bathroom>corridor': innerDoors,
  'bathroom>kitchen': innerDoors,
  'laundry room>kitchen': innerDoors,
  'laundry room>bathroom': innerDoors,
  'laundry room>corridor': innerDoors,
};

/** Draws a closed door for an ordered pair of rooms, with a random number even for a single kind; null if there is no door. */
export function drawDoor(random: JavaRandom, from: string, to: string): Door | null {
  const kinds = doorKinds[`${from}>${to}`];
  return kinds === undefined ? null : { name: random.choice(kinds), isOpen: false };
}
