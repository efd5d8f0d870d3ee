// Defines the base class of the games in a single random room (Arithmetic, Sorting, Pecking Order).
import { makeRoom, roomNumbering } from '../household.js';
import type { JavaRandom } from '../java-random.js';
import { move, visibleThings, type Room, type Thing } from '../things.js';
import { RoomGame } from './room-game.js';
import type { Score } from './text-game.js';

export abstract class OneRoomGame extends RoomGame {
  protected override addActionsOnVisible(thing: Thing): void {
    this.addTake(thing);
  }

  protected override addActionsOnCarried(thing: Thing, visible: readonly Thing[]): void {
    for (const other of visible) this.addPut(thing, other);
    this.addRead(thing);
  }
}

export const drawRoom = (random: JavaRandom): Room => makeRoom(random.choice(roomNumbering), random);

/** Puts each thing, in random order, on a random open piece of furniture in the room, or on the floor if there is none. */
export function spread(random: JavaRandom, things: readonly Thing[], room: Room): void {
  const shuffled = random.shuffle(things);
  const places = visibleThings(room).filter((thing) => thing.isOpenContainer && thing.kind !== 'box');
  for (const thing of shuffled) move(thing, places.length > 0 ? random.choice(places) : room);
}

/** Returns the score after a mistake that ends a one-room game: the given points, and −1 as the normalised score. */
export const failure = (raw: number): Score => ({ raw, normalized: -1, won: false, failed: true });
