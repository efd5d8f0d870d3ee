// Plays the game Map Reader: the agent fetches the coin from a named room and puts it into the box in another room. A map shows
// which rooms are adjacent. Carrying the coin is one point, and the coin in the box two.
import { makeObject, type ObjectKind } from '../content/content.js';
import { roomNames } from '../content/words.js';
import { JavaRandom } from '../java-random.js';
import { linkRooms, placeRooms } from '../layout.js';
import { gameSetNumber, isOn, type ParameterSpec } from '../parameters.js';
import { directions, move, Room, Thing } from '../things.js';
import { WorldGenerationError } from '../world-generation-error.js';
import { RoomGame } from './room-game.js';
import type { Score, WorldChoice } from './text-game.js';

export const mapreaderParameters: readonly ParameterSpec[] = [
  { name: 'numLocations', default: 15, range: [1, 50], meaning: 'rooms; there are names for 48' },
  { name: 'maxDistanceApart', default: 4, range: [1, 8], meaning: 'most rooms from the box to the coin' },
  { name: 'maxDistractorItemsPerLocation', default: 3, range: [0, 3], meaning: 'a room has fewer other things' },
  { name: 'includeDoors', default: 0, range: 'flag', meaning: 'closed doors between some rooms' },
  { name: 'limitInventorySize', default: 0, range: 'flag', meaning: 'carry at most two things, the map being one' },
];

const GRID_SIZE = 10;
const LINK_PROBABILITY = 0.5;
const REPAIRS = 10;
/** The distance from the first room, in rooms, above which a room gets further links to its neighbours. */
const FAR = 9;
const START_ATTEMPTS = 25;

export class MapReaderGame extends RoomGame {
  readonly taskDescription: string;
  readonly properties: Readonly<Record<string, number>>;
  readonly startRoom: Room;
  readonly coinRoom: Room;
  readonly #coin = new Thing('coin');
  readonly #box = new Thing('box', { kind: 'box' });

  constructor({ seed, fold, parameters: values, content }: WorldChoice) {
    const random = new JavaRandom(seed);
    const { rooms, start, end, distance } = makeWorld(random, values, content.objects[fold]);
    super({ rooms, start, carryLimit: isOn(values.limitInventorySize) ? 2 : null, shuffleSeed: 0 });
    this.startRoom = start;
    this.coinRoom = end;
    move(this.#coin, end);
    move(this.#box, start);
    move(new Thing('map', { text: drawMap(random, rooms) }), this.inventory);
    this.taskDescription = `Fetch the coin that lies in the ${end.name} and put it into the box in the ${start.name}. The map that you carry may help.`;
    this.properties = { seed, ...values, gameSet: gameSetNumber(fold), actualDistanceApart: distance };
  }

  protected override addGeneralActions(): void {
    this.add('task', () => this.taskDescription);
  }

  protected override addActionsOnVisible(thing: Thing): void {
    this.addTake(thing);
  }

  protected override addActionsOnCarried(thing: Thing, visible: readonly Thing[]): void {
    for (const other of visible) this.addPut(thing, other);
    this.addRead(thing);
  }

  protected override score(): Score {
    const { holder } = this.#coin;
    const raw = holder === this.inventory ? 1 : holder === this.#box ? 2 : 0;
    return { raw, normalized: raw / 2, won: raw === 2, failed: false };
  }
}

interface MapWorld {
  rooms: Room[];
  start: Room;
  end: Room;
  distance: number;
}

/** Generates a world. It draws in this order: room names, distractors, map, links, further links, distance, the task's rooms. */
function makeWorld(random: JavaRandom, values: WorldChoice['parameters'], objects: readonly ObjectKind[]): MapWorld {
  const names = random.shuffle(roomNames);
  if (values.numLocations > names.length) {
    throw new WorldGenerationError(
      `numLocations is ${values.numLocations}, but there are names for ${names.length} rooms`,
    );
  }
  const rooms = names
    .slice(0, values.numLocations)
    .map((name) => makeBareRoom(random, name, values.maxDistractorItemsPerLocation, objects));
  linkAll(random, rooms, isOn(values.includeDoors));
  const distance = random.nextInt(values.maxDistanceApart) + 1;
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    const start = random.choice(rooms);
    const distances = distancesFrom(start);
    const there = rooms.filter((room) => distances.get(room) === distance);
    if (there.length > 0) return { rooms, start, end: random.shuffle(there)[0], distance };
  }
  throw new WorldGenerationError(`no two of the ${rooms.length} rooms are ${distance} rooms apart`);
}

function makeBareRoom(random: JavaRandom, name: string, upTo: number, objects: readonly ObjectKind[]): Room {
  const room = new Room(name);
  const count = upTo === 0 ? 0 : random.nextInt(upTo);
  for (let i = 0; i < count; i++) move(makeObject(random.choice(objects)), room);
  return room;
}

/** Links half of the adjacent rooms. Rooms that are then disconnected or too far away get further links. */
function linkAll(random: JavaRandom, rooms: readonly Room[], includeDoors: boolean): void {
  const grid = placeRooms(random, rooms, { size: GRID_SIZE, mayJoin: () => true });
  let retried: ReadonlySet<Room> = new Set(rooms);
  for (let pass = 0; pass <= REPAIRS && retried.size > 0; pass++) {
    const asked = retried;
    linkRooms(random, grid, {
      includeDoors,
      shouldLink: (room, _, neighbours) =>
        asked.has(room) && (neighbours === 1 || random.nextDouble() < LINK_PROBABILITY),
    });
    const distances = distancesFrom(rooms[0]);
    retried = new Set(rooms.filter((room) => (distances.get(room) ?? Infinity) > FAR));
  }
}

/** Returns the number of rooms on the shortest path to each room that can be reached, through open and closed doors. */
function distancesFrom(start: Room): Map<Room, number> {
  const distances = new Map([[start, 0]]);
  // A loop over a Map visits entries in insertion order, also those that are added meanwhile: it is the search's queue.
  for (const [room, distance] of distances) {
    for (const direction of directions) {
      const to = room.exits[direction]?.to;
      if (to !== undefined && !distances.has(to)) distances.set(to, distance + 1);
    }
  }
  return distances;
}

/** Returns the text of the map: one line for each room with its neighbours, in random order. */
function drawMap(random: JavaRandom, rooms: readonly Room[]): string {
  const lines = rooms.flatMap(({ name, exits }) => {
    const neighbours = directions.flatMap((direction) => exits[direction]?.to.name ?? []);
    if (neighbours.length === 0) return [];
    return [`- ${name}: ${(neighbours.length === 1 ? neighbours : random.shuffle(neighbours)).join(', ')}`];
  });
  return ['The map shows which rooms touch:', ...random.shuffle(lines)].join('\n');
}
