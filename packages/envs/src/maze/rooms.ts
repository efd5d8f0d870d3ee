// Defines the maze "double T" of LMRL-Gym and AgentGym: its free cells, the moves, and the path to the goal.

/** The row of a cell, from top to bottom, and its column, from left to right. */
export type Cell = readonly [row: number, column: number];

export const moves = {
  'move left': [0, -1],
  'move right': [0, 1],
  'move up': [-1, 0],
  'move down': [1, 0],
} as const satisfies Record<string, Cell>;

export type Move = keyof typeof moves;

export const moveNames = Object.keys(moves) as readonly Move[];

export const goal: Cell = [8, 6];

/** All free cells in AgentGym's order of starting cells ("game" 0…25); the last is the goal. */
export const freeCells: readonly Cell[] = [
  ...columns(1, [1, 2, 3, 4, 5]),
  ...columns(1, [7, 8, 9, 10, 11]),
  ...[2, 3, 4].map((row): Cell => [row, 3]),
  ...columns(5, [3, 4, 5, 6]),
  [6, 6],
  [7, 6],
  ...columns(5, [7, 8, 9]),
  ...[4, 3, 2].map((row): Cell => [row, 9]),
  goal,
];

const free = new Set(freeCells.map(String));

export const isFree = (cell: Cell): boolean => free.has(String(cell));

export const isGoal = (cell: Cell): boolean => cell[0] === goal[0] && cell[1] === goal[1];

export const neighbour = ([row, column]: Cell, move: Move): Cell => [row + moves[move][0], column + moves[move][1]];

/** Returns the cell after a move. A move into a wall has no effect. */
export function moved(cell: Cell, move: Move): Cell {
  const next = neighbour(cell, move);
  return isFree(next) ? next : cell;
}

/** For each cell, the first move of the path to the goal. The maze has no loops, so that there is only one path. */
export const shortestWay: ReadonlyMap<string, Move> = searchFromGoal();

function searchFromGoal(): Map<string, Move> {
  const way = new Map<string, Move>();
  const queue: Cell[] = [goal];
  for (const cell of queue) {
    for (const move of moveNames) {
      // The cell from which the move leads to `cell`, since the search runs backwards from the goal.
      const from: Cell = [cell[0] - moves[move][0], cell[1] - moves[move][1]];
      if (!isFree(from) || isGoal(from) || way.has(String(from))) continue;
      way.set(String(from), move);
      queue.push(from);
    }
  }
  return way;
}

export function shortestPath(start: Cell): Move[] {
  const path: Move[] = [];
  for (let cell = start; !isGoal(cell); cell = moved(cell, path.at(-1)!)) path.push(shortestWay.get(String(cell))!);
  return path;
}

function columns(row: number, places: readonly number[]): Cell[] {
  return places.map((column): Cell => [row, column]);
}
