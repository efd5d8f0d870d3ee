// Finds the actions of an expert that knows the whole map: it takes shortest paths, fetches keys first, and puts down what it
// carries before it takes something else.
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

/** The next text action of an expert, and its purpose. */
export interface Step {
  action: string;
  /**
   * The purpose: the name of the target, the name of the first door on the path to it (`by`, if there is one), and the position
   * of that door or else of the target. Absent if the action only puts something down.
   */
  aim?: { name: string; by?: string; position: Position };
}

export const expertAction = (world: World, task: Task): string | null => expertStep(world, task)?.action ?? null;

/** Returns the next action towards a task with its purpose; null if the expert finds no path. */
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
  // An open door is closed first, since the task "open the door" is completed only by opening it.
  if (matches(wanted, front)) return { action: 'toggle', aim: { name: nameOf(front), position: world.front } };
  return reach(world, wanted, (item) => `go to ${item}`);
}

function putNext(world: World, target: Description, beside: Description): Step | null {
  if (world.carrying === null || !matches(target, world.carrying)) {
    return fetch(world, target);
  }
  // The agent may drop the thing into any empty cell next to the second thing.
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

/** A carried thing is put down only if a path leads to the wanted one: otherwise two tasks could undo each other forever. */
function fetch(world: World, wanted: Description): Step | null {
  const step = reach(world, wanted, (item) => `pickup ${item}`);
  return step !== null && world.carrying !== null ? letGo(world) : step;
}

/** Returns the action that drops the carried thing into the empty cell ahead, or that turns towards an empty cell. */
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

/** Returns the next action towards a thing: one that names it if it is in view and reachable, else a single grid move. */
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

/** A thing or door, and the path after which the agent faces it or a cell next to it. */
interface Way {
  thing: { position: Position; cell: Thing | Door };
  path: Move[];
}

const wayTo = ({ position, cell }: { position: Position; cell: Cell }, path: Move[] | null): Way[] =>
  path === null ? [] : [{ thing: { position, cell: cell as Thing | Door }, path }];

const shortest = (ways: readonly Way[]): Way | null =>
  ways.reduce<Way | null>((best, way) => (best === null || way.path.length < best.path.length ? way : best), null);

/** Returns the purpose of walking a path: the thing at its end, and the first door on it, if any. */
export function aimOf(world: World, { thing, path }: Way): Step['aim'] {
  const door = firstDoor(world, path);
  const name = nameOf(thing.cell);
  return door === null
    ? { name, position: thing.position }
    : { name, by: nameOf(world.grid.at(door) as Door), position: door };
}

/** Returns the first door on a path, or else the door at `target`, if that door is in view. */
export function doorInView(world: World, path: readonly Move[], target: Position | null = null): Seen | undefined {
  const door = firstDoor(world, path) ?? target;
  return door === null ? undefined : seen(world).find(({ position }) => position.x === door.x && position.y === door.y);
}

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
