// Generates the world of a BabyAI level: one room or three by three rooms, with doors, things, and a mission. The levels follow
// BabyAI (2019, arXiv:1810.08272), table 2; the generator is our own.
import type { Rng } from '@bowyer/core';
import {
  colours,
  Grid,
  isDoor,
  kinds,
  World,
  type Colour,
  type Direction,
  type Door,
  type Position,
  type Thing,
} from './grid.js';
import type { Description, Mission, Task } from './mission.js';

export const levels = [
  'goto_local',
  'pickup_local',
  'putnext_local',
  'goto',
  'pickup',
  'putnext',
  'open',
  'unlock',
  'boss',
] as const;

export type Level = (typeof levels)[number];

/** The number of cells along a room's side, with its walls; adjacent rooms share a wall. */
const ROOM = 8;

export interface Game {
  world: World;
  mission: Mission;
  /** The limit of grid moves per episode, which grows with the area of a room and the numbers of rooms and tasks. */
  maxMoves: number;
}

interface Layout {
  grid: Grid;
  /** The number of rooms along each side of the grid. */
  rooms: number;
  doors: { position: Position; door: Door }[];
}

/** Draws a world, which may be unsolvable, for example if a thing blocks the way, so that the caller runs the expert. */
export function drawGame(rng: Rng, level: Level): Game {
  const isLocal = level.endsWith('_local');
  const layout = drawRooms(rng, isLocal ? 1 : 3);
  const things = drawThings(rng, layout, isLocal ? rng.integer(4, 8) : rng.integer(12, 18));
  const mission = drawMission(rng, level, layout, things);
  const position = freeCell(rng, layout);
  const world = new World(layout.grid, position, rng.integer(0, 3) as Direction);
  return { world, mission, maxMoves: ROOM * ROOM * layout.rooms ** 2 * mission.length };
}

/** Draws connected rooms: a door joins each room that is not yet connected, and a third of the other pairs of adjacent rooms. */
function drawRooms(rng: Rng, rooms: number): Layout {
  const side = rooms * (ROOM - 1) + 1;
  const grid = new Grid(side, side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) if (x % (ROOM - 1) === 0 || y % (ROOM - 1) === 0) grid.set({ x, y }, 'wall');
  const group = Array.from({ length: rooms * rooms }, (_, i) => i);
  const doors: Layout['doors'] = [];
  for (const [a, b] of rng.shuffle(neighbours(rooms))) {
    if (group[a] === group[b] && rng.uniform() >= 1 / 3) continue;
    const [from, to] = [group[a], group[b]];
    group.forEach((g, i) => (group[i] = g === to ? from : g));
    const along = rng.integer(2, ROOM - 3);
    const corner = { x: (b % rooms) * (ROOM - 1), y: Math.floor(b / rooms) * (ROOM - 1) };
    const position = b === a + 1 ? { x: corner.x, y: corner.y + along } : { x: corner.x + along, y: corner.y };
    const door: Door = { kind: 'door', colour: rng.choice(colours), state: 'closed' };
    grid.set(position, door);
    doors.push({ position, door });
  }
  return { grid, rooms, doors };
}

/** Returns the pairs of adjacent rooms by their numbers; in each pair, the upper or left room comes first. */
function neighbours(rooms: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let room = 0; room < rooms * rooms; room++) {
    if (room % rooms < rooms - 1) pairs.push([room, room + 1]);
    if (room + rooms < rooms * rooms) pairs.push([room, room + rooms]);
  }
  return pairs;
}

function drawThings(rng: Rng, layout: Layout, count: number): Thing[] {
  return Array.from({ length: count }, () => {
    const thing: Thing = { kind: rng.choice(kinds), colour: rng.choice(colours) };
    layout.grid.set(freeCell(rng, layout), thing);
    return thing;
  });
}

/** Draws an empty cell that is not next to a door, so that nothing blocks a doorway. */
function freeCell(rng: Rng, { grid }: Layout): Position {
  for (;;) {
    const position = { x: rng.integer(1, grid.width - 2), y: rng.integer(1, grid.height - 2) };
    const { x, y } = position;
    const beside = [
      { x: x - 1, y },
      { x: x + 1, y },
      { x, y: y - 1 },
      { x, y: y + 1 },
    ].map((at) => grid.at(at));
    if (grid.at(position) === null && !beside.some(isDoor)) return position;
  }
}

function drawMission(rng: Rng, level: Level, layout: Layout, things: readonly Thing[]): Mission {
  const thing = (): Description => ({ ...rng.choice(things) });
  switch (level) {
    case 'open':
      return [{ verb: 'open', target: { ...describedDoor(rng.choice(layout.doors).door) } }];
    case 'unlock':
      return [{ verb: 'open', target: lock(rng, layout) }];
    case 'boss':
      return [drawTask(rng, layout, thing), drawTask(rng, layout, thing)];
    default:
      return [taskOf(level.replace('_local', '') as 'goto' | 'pickup' | 'putnext', thing)];
  }
}

function drawTask(rng: Rng, layout: Layout, thing: () => Description): Task {
  const verb = rng.choice(['goto', 'pickup', 'putnext', 'open'] as const);
  return verb === 'open' ? { verb, target: describedDoor(rng.choice(layout.doors).door) } : taskOf(verb, thing);
}

function taskOf(verb: 'goto' | 'pickup' | 'putnext', thing: () => Description): Task {
  return verb === 'putnext' ? { verb, target: thing(), beside: thing() } : { verb, target: thing() };
}

const describedDoor = ({ colour }: Door): Description => ({ kind: 'door', colour });

/** Locks a door whose colour no other door has, and puts its key into a random cell. */
function lock(rng: Rng, layout: Layout): Description {
  const { door } = rng.choice(layout.doors);
  const others = new Set<Colour>(layout.doors.filter((other) => other.door !== door).map((other) => other.door.colour));
  const free = colours.filter((colour) => !others.has(colour));
  if (free.length > 0) door.colour = rng.choice(free);
  door.state = 'locked';
  layout.grid.set(freeCell(rng, layout), { kind: 'key', colour: door.colour });
  return describedDoor(door);
}
