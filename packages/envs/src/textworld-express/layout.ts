// Places the rooms of a world on a grid and links adjacent ones, with random draws in the order of TextWorldExpress.
import { drawDoor } from './household.js';
import type { JavaRandom } from './java-random.js';
import { directions, opposite, type Direction, type Room } from './things.js';
import { WorldGenerationError } from './world-generation-error.js';

/** The cells of the grid, grid[i][j]. The cell (i + 1, j) is north of (i, j), and (i, j − 1) is east of it. */
export type Grid = (Room | null)[][];

const ATTEMPTS = 50;
const ROUNDS = 101;

const towards: Readonly<Record<Direction, readonly [number, number]>> = {
  north: [1, 0],
  south: [-1, 0],
  east: [0, -1],
  west: [0, 1],
};

interface PlacingOptions {
  /** The number of cells on each side of the grid. The first room is in the middle. */
  size: number;
  /** Returns whether a new room may be placed next to a room that is already on the grid. */
  mayJoin(room: Room, placed: Room): boolean;
}

export function placeRooms(random: JavaRandom, rooms: readonly Room[], options: PlacingOptions): Grid {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const grid = tryToPlace(random, rooms, options);
    if (grid !== null) return grid;
  }
  throw new WorldGenerationError(`no map with ${rooms.length} rooms was found in ${ATTEMPTS} attempts`);
}

function tryToPlace(random: JavaRandom, rooms: readonly Room[], { size, mayJoin }: PlacingOptions): Grid | null {
  const grid: Grid = Array.from({ length: size }, () => new Array<Room | null>(size).fill(null));
  const waiting = random.shuffle(rooms);
  const middle = Math.floor(size / 2);
  const first = waiting.pop()!;
  grid[middle][middle] = first;
  const placed = [{ room: first, x: middle, y: middle }];
  for (let round = 0; round < ROUNDS && waiting.length > 0; round++) {
    const reference = random.choice(placed);
    const index = random.nextInt(waiting.length);
    const room = waiting[index];
    if (!mayJoin(room, reference.room)) continue;
    const free = freeNeighbour(random, grid, reference.x, reference.y);
    if (free === null) continue;
    const [x, y] = free;
    grid[x][y] = room;
    waiting.splice(index, 1);
    placed.push({ room, x, y });
  }
  return waiting.length === 0 ? grid : null;
}

function freeNeighbour(random: JavaRandom, grid: Grid, x: number, y: number): [number, number] | null {
  const steps = random.shuffle<[number, number]>([
    [x - 1, y],
    [x + 1, y],
    [x, y - 1],
    [x, y + 1],
  ]);
  return steps.find(([i, j]) => grid[i]?.[j] === null) ?? null;
}

interface LinkingOptions {
  includeDoors: boolean;
  /** Returns whether two adjacent rooms are linked; called for each room and each neighbour in order; may draw random numbers. */
  shouldLink(room: Room, neighbour: Room, neighbourCount: number): boolean;
}

/**
 * Links adjacent rooms row by row, to the north, south, east and west. A pair that is linked twice has the later door.
 */
export function linkRooms(random: JavaRandom, grid: Grid, { includeDoors, shouldLink }: LinkingOptions): void {
  for (const [i, row] of grid.entries()) {
    for (const [j, room] of row.entries()) {
      if (room === null) continue;
      const neighbours = directions.map((direction) => {
        const [di, dj] = towards[direction];
        return { direction, neighbour: grid[i + di]?.[j + dj] ?? null };
      });
      const count = neighbours.filter(({ neighbour }) => neighbour !== null).length;
      for (const { direction, neighbour } of neighbours) {
        if (neighbour === null || !shouldLink(room, neighbour, count)) continue;
        const drawn = includeDoors ? drawDoor(random, room.name, neighbour.name) : null;
        const door = drawn ?? room.exits[direction]?.door ?? null;
        room.exits[direction] = { to: neighbour, door };
        neighbour.exits[opposite[direction]] = { to: room, door };
      }
    }
  }
}

/** Places a household's rooms on 7 × 7 cells. Adjacent rooms are linked if one lists the other as a possible neighbour. */
export function layOutHousehold(random: JavaRandom, rooms: readonly Room[], includeDoors: boolean): void {
  const grid = placeRooms(random, rooms, { size: 7, mayJoin: (room, placed) => room.joins.includes(placed.name) });
  linkRooms(random, grid, { includeDoors, shouldLink: (room, neighbour) => room.joins.includes(neighbour.name) });
}
