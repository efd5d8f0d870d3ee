// Keeps a grid world of rooms with walls, doors, things to carry, and an agent that turns, walks, takes, drops and opens. Rules:
// MiniGrid (Chevalier-Boisvert et al. 2023, arXiv:2306.13831) as BabyAI uses it (2019, arXiv:1810.08272).

export const colours = ['red', 'green', 'blue', 'purple', 'yellow', 'grey'] as const;
export const kinds = ['ball', 'box', 'key'] as const;

export type Colour = (typeof colours)[number];

export interface Thing {
  kind: (typeof kinds)[number];
  colour: Colour;
}

export interface Door {
  kind: 'door';
  colour: Colour;
  state: 'open' | 'closed' | 'locked';
}

export type Cell = Thing | Door | 'wall' | null;

export interface Position {
  x: number;
  y: number;
}

/** A direction: 0 right, 1 down, 2 left, 3 up. */
export type Direction = 0 | 1 | 2 | 3;

export type Move = 'left' | 'right' | 'forward' | 'pickup' | 'drop' | 'toggle';

const steps: Readonly<Record<Direction, Position>> = {
  0: { x: 1, y: 0 },
  1: { x: 0, y: 1 },
  2: { x: -1, y: 0 },
  3: { x: 0, y: -1 },
};

export const ahead = ({ x, y }: Position, direction: Direction, cells = 1): Position => ({
  x: x + cells * steps[direction].x,
  y: y + cells * steps[direction].y,
});

export const turned = (direction: Direction, quarters: number): Direction =>
  ((((direction + quarters) % 4) + 4) % 4) as Direction;

export const isDoor = (cell: Cell): cell is Door => typeof cell === 'object' && cell?.kind === 'door';
export const isThing = (cell: Cell): cell is Thing => typeof cell === 'object' && cell !== null && cell.kind !== 'door';

export const isFree = (cell: Cell): boolean => cell === null || (isDoor(cell) && cell.state === 'open');

export class Grid {
  readonly #cells: Cell[];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#cells = Array.from({ length: width * height }, () => null);
  }

  /** Returns a cell; all cells outside the grid are walls. */
  at({ x, y }: Position): Cell {
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? this.#cells[y * this.width + x] : 'wall';
  }

  set({ x, y }: Position, cell: Cell): void {
    this.#cells[y * this.width + x] = cell;
  }

  contents(): { position: Position; cell: Thing | Door }[] {
    const found: { position: Position; cell: Thing | Door }[] = [];
    this.#cells.forEach((cell, i) => {
      if (cell === null || cell === 'wall') return;
      found.push({ position: { x: i % this.width, y: Math.floor(i / this.width) }, cell });
    });
    return found;
  }
}

export class World {
  carrying: Thing | null = null;

  constructor(
    readonly grid: Grid,
    public position: Position,
    public direction: Direction,
  ) {}

  get front(): Position {
    return ahead(this.position, this.direction);
  }

  /** Carries out one grid move of the agent. @returns whether it changed anything */
  move(move: Move): boolean {
    const { grid, front } = this;
    const cell = grid.at(front);
    switch (move) {
      case 'left':
      case 'right':
        this.direction = turned(this.direction, move === 'left' ? -1 : 1);
        return true;
      case 'forward':
        if (!isFree(cell)) return false;
        this.position = front;
        return true;
      case 'pickup':
        if (!isThing(cell) || this.carrying !== null) return false;
        this.carrying = cell;
        grid.set(front, null);
        return true;
      case 'drop':
        if (cell !== null || this.carrying === null) return false;
        grid.set(front, this.carrying);
        this.carrying = null;
        return true;
      case 'toggle':
        return isDoor(cell) && this.#toggle(cell);
    }
  }

  /** Opens or closes a door; a locked one needs the key of its colour, which the agent keeps. @returns whether it changed */
  #toggle(door: Door): boolean {
    const hasKey = this.carrying?.kind === 'key' && this.carrying.colour === door.colour;
    if (door.state === 'locked' && !hasKey) return false;
    door.state = door.state === 'open' ? 'closed' : 'open';
    return true;
  }
}
