// Walks the shortest path, opening the doors on it.
import type { RoomGame } from './room-game.js';
import { directions, type Direction, type Room } from '../things.js';

/** Says an action in the game and writes it down. */
export type Recorder = (action: string) => void;

/** Walks to the nearest room that is a goal; false when none can be reached. Ties go north, south, east, west. */
export function walkTo(game: RoomGame, isGoal: (room: Room) => boolean, act: Recorder): boolean {
  const way = shortestWay(game.room, isGoal);
  if (way === null) return false;
  for (const direction of way) {
    if (game.room.exits[direction]?.door?.isOpen === false) act(`open door to ${direction}`);
    act(`move ${direction}`);
  }
  return true;
}

/** Returns the first of the shortest paths in the order of directions, by breadth-first search. */
function shortestWay(start: Room, isGoal: (room: Room) => boolean): Direction[] | null {
  const seen = new Set([start]);
  let frontier: { room: Room; way: Direction[] }[] = [{ room: start, way: [] }];
  while (frontier.length > 0) {
    const next: typeof frontier = [];
    for (const { room, way } of frontier) {
      if (isGoal(room)) return way;
      for (const direction of directions) {
        const to = room.exits[direction]?.to;
        if (to === undefined || seen.has(to)) continue;
        seen.add(to);
        next.push({ room: to, way: [...way, direction] });
      }
    }
    frontier = next;
  }
  return null;
}
