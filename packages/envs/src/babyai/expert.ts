// A player that knows the whole map: it takes the shortest paths, fetches keys first, and frees its hands where needed.
import { CHECK, doorAction } from './actions.js';
import {
  ahead,
  isDoor,
  isFree,
  turned,
  type Cell,
  type Direction,
  type Door,
  type Move,
  type Position,
  type Thing,
  type World,
} from './grid.js';
import { matches, type Description, type Task } from './mission.js';
import { pathsFrom } from './paths.js';
import { nameOf, seen, type Seen } from './view.js';

export const words: Readonly<Record<Move, string>> = {
  left: 'turn left',
  right: 'turn right',
  forward: 'move forward',
  toggle: 'toggle',
  drop: 'drop',
  pickup: 'pickup',
};

/** The next action of an expert, and its purpose. */
export interface Step {
  action: string;
  /** The thing that it goes to, the door on the way, if any, and the position of the first of them. Absent: it frees its hands. */
  aim?: { name: string; by?: string; position: Position };
}

/** Returns the next action towards a task; null where the expert sees no way. */
export const expertAction = (world: World, task: Task): string | null => expertStep(world, task)?.action ?? null;

/** Returns the same as `expertAction`, with the purpose of the action. */
export function expertStep(world: World, task: Task): Step | null {
  switch (task.verb) {
    case 'goto':
      return reach(world, task.target, (item) => `go to ${item}`);
    case 'pickup':
      return fetch(world, task.target);
    case 'open':
      return openDoor(world, task.target);
    case 'putnext':
      return putNext(world, task.target, task.beside);
  }
}

function openDoor(world: World, wanted: Description): Step | null {
  const doors = world.grid.contents().filter(({ cell }) => matches(wanted, cell));
  const locked = doors.find(({ cell }) => (cell as Door).state === 'locked');
  const key: Description = { kind: 'key', colour: wanted.colour };
  if (locked && !(world.carrying && matches(key, world.carrying))) {
    return fetch(world, key);
  }
  const front = world.grid.at(world.front);
  // An open door is shut first, so that it can be opened.
  if (matches(wanted, front)) return { action: 'toggle', aim: { name: nameOf(front), position: world.front } };
  return reach(world, wanted, (item) => `go to ${item}`);
}

function putNext(world: World, target: Description, beside: Description): Step | null {
  if (world.carrying === null || !matches(target, world.carrying)) {
    return fetch(world, target);
  }
  // The agent may drop the thing into any empty cell beside the other one.
  const pathTo = pathsFrom(world, { throughDoors: true });
  const ways = world.grid
    .contents()
    .filter(({ cell }) => matches(beside, cell))
    .flatMap((thing) =>
      [0, 1, 2, 3].flatMap((direction) => {
        const place = ahead(thing.position, direction as Direction);
        return world.grid.at(place) === null ? wayTo(thing, pathTo(place)) : [];
      }),
    );
  const way = shortest(ways);
  if (way === null) return null;
  return { action: way.path.length === 0 ? 'drop' : words[way.path[0]], aim: aimOf(world, way) };
}

/** Takes a thing into hands that are freed first: not before there is a way to it, or one task would undo another. */
function fetch(world: World, wanted: Description): Step | null {
  const step = reach(world, wanted, (item) => `pickup ${item}`);
  return step !== null && world.carrying !== null ? letGo(world) : step;
}

/** Drops the carried thing into an empty cell ahead that is not a doorway, turning until there is one. */
function letGo(world: World): Step | null {
  for (const [turns, action] of [
    [0, 'drop'],
    [1, 'turn right'],
    [-1, 'turn left'],
    [2, 'turn right'],
  ] as const) {
    const direction = turned(world.direction, turns);
    if (world.grid.at(ahead(world.position, direction)) === null) return { action };
  }
  return null;
}

/** Goes to a thing by name if the nearest one is in view and the way is free, else further towards it. */
function reach(world: World, wanted: Description, say: (item: string) => string): Step | null {
  const inView = seen(world).filter(({ cell }) => matches(wanted, cell));
  const openPathTo = inView.length > 0 ? pathsFrom(world, { throughDoors: false }) : undefined;
  const free = inView.find(({ position }) => openPathTo!(position) !== null);
  if (free) return { action: say(`${free.name} ${free.number}`), aim: { name: free.name, position: free.position } };
  const all = world.grid.contents().filter(({ cell }) => matches(wanted, cell));
  const pathTo = pathsFrom(world, { throughDoors: true });
  const way = shortest(all.flatMap((thing) => wayTo(thing, pathTo(thing.position))));
  if (way === null) return null;
  const aim = aimOf(world, way);
  if (way.path.length === 0) return { action: CHECK, aim };
  const door = doorInView(world, way.path);
  return { action: (door && doorAction(world, door)) ?? words[way.path[0]], aim };
}

/** A thing or door, and the moves after which the agent faces it, or a place beside it. */
interface Way {
  thing: { position: Position; cell: Thing | Door };
  path: Move[];
}

const wayTo = ({ position, cell }: { position: Position; cell: Cell }, path: Move[] | null): Way[] =>
  path === null ? [] : [{ thing: { position, cell: cell as Thing | Door }, path }];

const shortest = (ways: readonly Way[]): Way | null =>
  ways.reduce<Way | null>((best, way) => (best === null || way.path.length < best.path.length ? way : best), null);

/** Returns the thing, or the door through which the way to it leads first. */
export function aimOf(world: World, { thing, path }: Way): Step['aim'] {
  const door = firstDoor(world, path);
  const name = nameOf(thing.cell);
  return door === null
    ? { name, position: thing.position }
    : { name, by: nameOf(world.grid.at(door) as Door), position: door };
}

/** Returns the door that a path leads through first, or else the one that it leads to, where it is in view. */
export function doorInView(world: World, path: readonly Move[], target: Position | null = null): Seen | undefined {
  const door = firstDoor(world, path) ?? target;
  return door === null ? undefined : seen(world).find(({ position }) => position.x === door.x && position.y === door.y);
}

/** Returns the door that a path leads through first. */
function firstDoor(world: World, path: readonly Move[]): Position | null {
  let { position, direction } = world;
  for (const move of path) {
    if (move === 'forward') position = ahead(position, direction);
    if (move === 'left' || move === 'right') direction = turned(direction, move === 'left' ? -1 : 1);
    const cell = world.grid.at(position);
    if (isDoor(cell) && (isFree(cell) || move === 'forward')) return position;
  }
  return null;
}
