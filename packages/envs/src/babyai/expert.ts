// A player that knows the whole map: ways are the shortest, keys are fetched first, hands are freed where needed.
import { CHECK, doorAction } from './actions.js';
import {
  ahead,
  isDoor,
  isFree,
  turned,
  type Direction,
  type Door,
  type Move,
  type Position,
  type World,
} from './grid.js';
import { matches, type Description, type Task } from './mission.js';
import { pathsFrom } from './paths.js';
import { seen, type Seen } from './view.js';

export const words: Readonly<Record<Move, string>> = {
  left: 'turn left',
  right: 'turn right',
  forward: 'move forward',
  toggle: 'toggle',
  drop: 'drop',
  pickup: 'pickup',
};

/** The next action towards a task; null where the expert sees no way. */
export function expertAction(world: World, task: Task): string | null {
  switch (task.verb) {
    case 'goto':
      return reach(world, task.target, (item) => `go to ${item}`);
    case 'pickup':
      if (world.carrying !== null) return letGo(world);
      return reach(world, task.target, (item) => `pickup ${item}`);
    case 'open':
      return openDoor(world, task.target);
    case 'putnext':
      return putNext(world, task.target, task.beside);
  }
}

function openDoor(world: World, wanted: Description): string | null {
  const doors = world.grid.contents().filter(({ cell }) => matches(wanted, cell));
  const locked = doors.find(({ cell }) => (cell as Door).state === 'locked');
  const key: Description = { kind: 'key', colour: wanted.colour };
  if (locked && !(world.carrying && matches(key, world.carrying))) {
    if (world.carrying !== null) return letGo(world);
    return reach(world, key, (item) => `pickup ${item}`);
  }
  const front = world.grid.at(world.front);
  // An open door is shut first, so that it can be opened.
  if (matches(wanted, front)) return 'toggle';
  return reach(world, wanted, (item) => `go to ${item}`);
}

function putNext(world: World, target: Description, beside: Description): string | null {
  if (world.carrying === null || !matches(target, world.carrying)) {
    if (world.carrying !== null) return letGo(world);
    return reach(world, target, (item) => `pickup ${item}`);
  }
  // Any empty cell beside the other thing will do to drop into.
  const places = world.grid
    .contents()
    .filter(({ cell }) => matches(beside, cell))
    .flatMap(({ position }) => [0, 1, 2, 3].map((direction) => ahead(position, direction as Direction)))
    .filter((position) => world.grid.at(position) === null);
  const path = shortest(places.map(pathsFrom(world, { throughDoors: true })));
  if (path === null) return null;
  return path.length === 0 ? 'drop' : words[path[0]];
}

/** Drops what is carried into an empty cell ahead that is no doorway, turning until there is one. */
function letGo(world: World): string | null {
  for (const [turns, action] of [
    [0, 'drop'],
    [1, 'turn right'],
    [-1, 'turn left'],
    [2, 'turn right'],
  ] as const) {
    const direction = turned(world.direction, turns);
    if (world.grid.at(ahead(world.position, direction)) === null) return action;
  }
  return null;
}

/** By name where the nearest such thing is in view and the way is free, else on towards it. */
function reach(world: World, wanted: Description, say: (item: string) => string): string | null {
  const inView = seen(world).filter(({ cell }) => matches(wanted, cell));
  const openPathTo = inView.length > 0 ? pathsFrom(world, { throughDoors: false }) : undefined;
  const free = inView.find(({ position }) => openPathTo!(position) !== null);
  if (free) return say(`${free.name} ${free.number}`);
  const all = world.grid.contents().filter(({ cell }) => matches(wanted, cell));
  const pathTo = pathsFrom(world, { throughDoors: true });
  const path = shortest(all.map(({ position }) => pathTo(position)));
  if (path === null || path.length === 0) return path && CHECK;
  const door = doorInView(world, path);
  return (door && doorAction(world, door)) ?? words[path[0]];
}

/** The door that a path leads through first, or else the one that it leads to, where it is in view. */
export function doorInView(world: World, path: readonly Move[], target: Position | null = null): Seen | undefined {
  const door = firstDoor(world, path) ?? target;
  return door === null ? undefined : seen(world).find(({ position }) => position.x === door.x && position.y === door.y);
}

/** The door that a path leads through first. */
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

const shortest = (paths: readonly (Move[] | null)[]): Move[] | null =>
  paths.reduce((best, path) => (path !== null && (best === null || path.length < best.length) ? path : best), null);
