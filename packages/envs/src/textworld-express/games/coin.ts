// Plays the game Coin Collector: the agent looks for the coin, which is on the floor of some room, and takes it.
import { makeObject, type Content } from '../content/content.js';
import { makeRoom, roomNumbering, type HouseholdRoomName } from '../household.js';
import { JavaRandom } from '../java-random.js';
import { layOutHousehold } from '../layout.js';
import { gameSetNumber, isOn, type Fold, type ParameterSpec } from '../parameters.js';
import { move, Thing, type Room } from '../things.js';
import { RoomGame } from './room-game.js';
import type { Score, WorldChoice } from './text-game.js';

export const coinParameters: readonly ParameterSpec[] = [
  { name: 'numLocations', default: 11, range: [1, 11], meaning: 'rooms' },
  { name: 'numDistractorItems', default: 0, range: [0, 10], meaning: 'things that are not the coin' },
  { name: 'includeDoors', default: 1, range: 'flag', meaning: 'closed doors between some rooms' },
  { name: 'limitInventorySize', default: 1, range: 'flag', meaning: 'carry at most two things' },
];

export class CoinGame extends RoomGame {
  readonly taskDescription = 'Somewhere in these rooms lies a coin. Find it and take it.';
  readonly properties: Readonly<Record<string, number>>;
  readonly coin: Thing;

  constructor({ seed, fold, parameters: values, content }: WorldChoice) {
    const { rooms, coin } = makeWorld(seed, fold, values, content);
    super({ rooms, start: rooms[0], carryLimit: isOn(values.limitInventorySize) ? 2 : null, shuffleSeed: 0 });
    this.coin = coin;
    this.properties = { seed, ...values, gameSet: gameSetNumber(fold) };
  }

  protected override addActionsOnVisible(thing: Thing): void {
    this.addTake(thing);
  }

  /** Adds no actions, since in this game nothing can be put down. */
  protected override addActionsOnCarried(): void {}

  protected override score(): Score {
    const won = this.coin.holder === this.inventory;
    return { raw: Number(won), normalized: Number(won), won, failed: false };
  }
}

/** Generates a world. It draws in this order: kitchen, map, doors, the coin's room, distractors. */
function makeWorld(
  seed: number,
  fold: Fold,
  values: WorldChoice['parameters'],
  content: Content,
): { rooms: Room[]; coin: Thing } {
  const random = new JavaRandom(seed);
  const rooms = roomNumbering.slice(0, values.numLocations).map((name: HouseholdRoomName) => makeRoom(name, random));
  layOutHousehold(random, rooms, isOn(values.includeDoors));
  const coin = new Thing('coin');
  move(coin, random.choice(rooms));
  addDistractors(random, rooms, values.numDistractorItems, content.objectsByPlace[fold]);
  return { rooms, coin };
}

function addDistractors(
  random: JavaRandom,
  rooms: readonly Room[],
  count: number,
  byPlace: Content['objectsByPlace'][Fold],
): void {
  const used = new Set<string>();
  for (let attempt = 0; used.size < count && attempt < 100; attempt++) {
    const { contents } = random.choice(rooms);
    if (contents.length === 0) continue;
    const place = random.choice(contents);
    const kinds = byPlace.get(place.name);
    if (kinds === undefined) continue;
    const kind = random.choice(kinds);
    if (used.has(kind.name)) continue;
    used.add(kind.name);
    move(makeObject(kind), place);
  }
}
