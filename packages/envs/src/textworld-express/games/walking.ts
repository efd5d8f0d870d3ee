// Walks shortest paths between rooms for the scripted experts, opening the doors on the way.
import type { RoomGame } from './room-game.js';
import { directions, type Direction, type Room } from '../things.js';

/** A function that plays an action in a game and records it. */
export type Recorder = (action: string) => void;

/** Walks to the nearest goal room; ties are broken in the order north, south, east, west. @returns false if none is reachable */
export function walkTo(game: RoomGame, isGoal: (room: Room) => boolean, act: Recorder): boolean {
  const way = shortestWay(game.room, isGoal);
  if (way === null) return false;
  for (const direction of way) {
    if (game.room.exits[direction]?.door?.isOpen === false) act(`open door to ${direction}`);
    act(`move ${direction}`);
  }
  return true;
}

/** Returns a shortest path, found by breadth-first search; among equal ones, the first in the order of `directions`. */
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
