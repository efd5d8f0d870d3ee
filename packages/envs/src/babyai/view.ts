// Computes the agent's view: seven cells ahead and three to each side, except those behind walls and closed doors. Rule: the
// field of view and the visibility mask of MiniGrid (Chevalier-Boisvert et al. 2023, arXiv:2306.13831).
import { ahead, isDoor, turned, type Cell, type Door, type Position, type Thing, type World } from './grid.js';

/** The size of the view in cells: `DEPTH` ahead, including the agent's own row, and `SIDE` to each side. */
const DEPTH = 7;
const SIDE = 3;
const WIDTH = 2 * SIDE + 1;

export interface Seen {
  /** Colour and kind, with the state of a door between them: `purple closed door`. */
  name: string;
  /** The rank of this thing among the visible things of the same name, from 1 for the nearest. */
  number: number;
  cell: Thing | Door;
  position: Position;
  /** The distance from the agent in cells ahead and to the right; a negative value is to the left. */
  forward: number;
  right: number;
}

/** Returns all things in view, the nearest first. */
export function seen(world: World): Seen[] {
  const visible = visibleCells(world);
  const found: Omit<Seen, 'number'>[] = [];
  for (const { forward, right, position, cell } of visible) {
    if (cell === null || cell === 'wall' || (forward === 0 && right === 0)) continue;
    found.push({ name: nameOf(cell), cell, position, forward, right });
  }
  const distance = ({ forward, right }: { forward: number; right: number }) => forward ** 2 + right ** 2;
  found.sort((a, b) => distance(a) - distance(b));
  const counts = new Map<string, number>();
  return found.map((item) => {
    const number = (counts.get(item.name) ?? 0) + 1;
    counts.set(item.name, number);
    return { ...item, number };
  });
}

/** Returns the positions of all visible cells, empty ones included. */
export const visiblePositions = (world: World): Position[] => visibleCells(world).map(({ position }) => position);

export const nameOf = (cell: Thing | Door): string =>
  cell.kind === 'door' ? `${cell.colour} ${cell.state} door` : `${cell.colour} ${cell.kind}`;

interface ViewCell {
  forward: number;
  right: number;
  position: Position;
  cell: Cell;
}

/** Returns the visible cells. Visibility spreads from the agent's cell row by row, through cells that do not block the view. */
function visibleCells(world: World): ViewCell[] {
  const lit = new Uint8Array(DEPTH * WIDTH);
  lit[SIDE] = 1;
  const at = (forward: number, right: number): ViewCell => {
    const position = ahead(ahead(world.position, world.direction, forward), turned(world.direction, 1), right);
    // The cell of the agent is shown as empty, although MiniGrid shows the carried thing there.
    return { forward, right, position, cell: forward === 0 && right === 0 ? null : world.grid.at(position) };
  };
  const light = (forward: number, right: number) => {
    if (forward < DEPTH && Math.abs(right) <= SIDE) lit[forward * WIDTH + SIDE + right] = 1;
  };
  for (let forward = 0; forward < DEPTH; forward++) {
    for (const side of [1, -1]) {
      for (let right = -SIDE * side; Math.abs(right) <= SIDE && right !== (SIDE + 1) * side; right += side) {
        if (lit[forward * WIDTH + SIDE + right] === 0 || blocksSight(at(forward, right).cell)) continue;
        light(forward, right + side);
        light(forward + 1, right + side);
        light(forward + 1, right);
      }
    }
  }
  const cells: ViewCell[] = [];
  lit.forEach((isLit, i) => {
    if (isLit) cells.push(at(Math.floor(i / WIDTH), (i % WIDTH) - SIDE));
  });
  return cells;
}

const blocksSight = (cell: Cell) => cell === 'wall' || (isDoor(cell) && cell.state !== 'open');
