// Plays the game TextWorld Commonsense: things lie on the floor, and the agent puts each where it belongs. A carried thing is one
// point, a thing in a right place two.
import { makeObject, type Content, type ObjectKind } from '../content/content.js';
import { makeRoom, type HouseholdRoomName } from '../household.js';
import { JavaRandom } from '../java-random.js';
import { layOutHousehold } from '../layout.js';
import { gameSetNumber, isOn, type Fold, type ParameterSpec } from '../parameters.js';
import { directions, move, type Room, type Thing } from '../things.js';
import { WorldGenerationError } from '../world-generation-error.js';
import { RoomGame } from './room-game.js';
import type { Score, WorldChoice } from './text-game.js';

export const twcParameters: readonly ParameterSpec[] = [
  { name: 'numLocations', default: 3, range: [1, 3], meaning: 'rooms' },
  { name: 'numItemsToPutAway', default: 4, range: [0, 4], meaning: 'things that lie about' },
  { name: 'includeDoors', default: 0, range: 'flag', meaning: 'closed doors between some rooms' },
  { name: 'limitInventorySize', default: 0, range: 'flag', meaning: 'carry at most numItemsToPutAway + 1 things' },
];

/** The rooms of the house. All are built and linked, and then all but a few connected ones are removed. */
const house: readonly HouseholdRoomName[] = [
  'kitchen',
  'pantry',
  'corridor',
  'bedroom',
  'living room',
  'bathroom',
  'laundry room',
];

export class TwcGame extends RoomGame {
  readonly taskDescription = 'Things lie about here. Pick them up and put each where such a thing is usually kept.';
  readonly properties: Readonly<Record<string, number>>;
  readonly strays: readonly Thing[];

  constructor({ seed, fold, parameters: values, content }: WorldChoice) {
    const { rooms, strays } = makeWorld(seed, fold, values, content);
    super({
      rooms,
      start: rooms[0],
      carryLimit: isOn(values.limitInventorySize) ? strays.length + 1 : null,
      shuffleSeed: 0,
    });
    this.strays = strays;
    this.properties = { seed, ...values, gameSet: gameSetNumber(fold) };
  }

  protected override addActionsOnVisible(thing: Thing): void {
    this.addTake(thing);
    this.addOpenOrClose(thing);
  }

  protected override addActionsOnCarried(thing: Thing, visible: readonly Thing[]): void {
    for (const other of visible) this.addPut(thing, other);
  }

  protected override score(): Score {
    let raw = 0;
    for (const { holder, homes } of this.strays) {
      if (holder === this.inventory) raw += 1;
      else if (holder !== null && homes.includes(holder.name)) raw += 2;
    }
    const most = 2 * this.strays.length;
    // If nothing is misplaced at the beginning, TextWorldExpress divides 0 by 0. Here such a game is won at once.
    return { raw, normalized: most === 0 ? 1 : raw / most, won: raw === most, failed: false };
  }
}

/** Generates a world. It draws in this order: kitchen, map, doors, kept rooms, things, the rooms where they lie. */
function makeWorld(
  seed: number,
  fold: Fold,
  values: WorldChoice['parameters'],
  content: Content,
): { rooms: Room[]; strays: Thing[] } {
  const random = new JavaRandom(seed);
  const built = house.map((name) => makeRoom(name, random));
  layOutHousehold(random, built, isOn(values.includeDoors));
  const rooms = keepConnected(random, built, values.numLocations);
  const strays = drawStrays(random, rooms, values.numItemsToPutAway, content.objectsByPlace[fold]);
  for (const stray of strays) move(stray, random.choice(rooms));
  return { rooms, strays };
}

/** Chooses a random connected set of rooms, and removes the exits to all other rooms. */
function keepConnected(random: JavaRandom, house: readonly Room[], count: number): Room[] {
  const kept = [random.choice(house)];
  while (kept.length < count) {
    const { exits } = random.choice(kept);
    const beyond = directions.flatMap((direction) => exits[direction]?.to ?? []).filter((room) => !kept.includes(room));
    if (beyond.length > 0) kept.push(random.choice(beyond));
  }
  for (const { exits } of kept) {
    for (const direction of directions) {
      const exit = exits[direction];
      if (exit !== null && !kept.includes(exit.to)) exits[direction] = null;
    }
  }
  return kept;
}

function drawStrays(
  random: JavaRandom,
  rooms: readonly Room[],
  count: number,
  byPlace: ReadonlyMap<string, readonly ObjectKind[]>,
): Thing[] {
  const strays: Thing[] = [];
  for (let attempt = 0; strays.length < count && attempt < 100; attempt++) {
    const room = random.choice(rooms);
    const things = [...room.contents].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    const kinds = byPlace.get(random.choice(things).name);
    if (kinds === undefined) continue;
    const stray = makeObject(random.choice(kinds));
    if (strays.some((other) => other.name === stray.name)) continue;
    move(stray, room);
    strays.push(stray);
  }
  if (strays.length < count) {
    const places = rooms.map((room) => room.name).join(', ');
    throw new WorldGenerationError(`only ${strays.length} of ${count} things belong in these rooms: ${places}`);
  }
  return strays;
}
