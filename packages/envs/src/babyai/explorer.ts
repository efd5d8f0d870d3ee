// A player that knows no more of the map than it has seen, so that what it does follows from what a policy has read.
import { CHECK, doorAction } from './actions.js';
import { doorInView, expertAction, words } from './expert.js';
import { Grid, isDoor, World, type Move, type Position } from './grid.js';
import type { Mission, Task } from './mission.js';
import { pathsFrom } from './paths.js';
import { seen, visiblePositions } from './view.js';

/** Left turns at a place after which all four directions have been seen. */
const ALL_AROUND = 3;

/**
 * Plays one world: looks at it before each action. Where to look follows from the actions since the last door: a place is looked
 * at all around by left turns, then the nearest shut door in view is taken, or turned to.
 */
export class Explorer {
  /** What was seen; the rest counts as wall. */
  readonly #map: Grid;
  /** By which it has looked around since it came through a door or to a thing. */
  #leftTurns = 0;

  constructor(private readonly world: World) {
    const { width, height } = world.grid;
    this.#map = new Grid(width, height);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) this.#map.set({ x, y }, 'wall');
  }

  /** The next action towards the first of the open tasks that can be worked at; null where nothing is left to explore. */
  next(open: Mission): string | null {
    this.#look();
    const believed = this.#believed();
    return this.#work(believed, open) ?? this.#explore() ?? this.#leave(believed);
  }

  /** Takes notice of an action that was carried out, its own or another one. */
  acted(action: string): void {
    this.#look();
    if (!isMove(action)) this.#leftTurns = 0;
  }

  #work(believed: World, open: Mission): string | null {
    for (const task of open) {
      const action = this.#towards(believed, task);
      if (action !== null) return action;
    }
    return null;
  }

  #towards(believed: World, task: Task): string | null {
    const action = expertAction(believed, task);
    return action === CHECK ? null : action;
  }

  #look(): void {
    const { grid, position } = this.world;
    for (const visible of [position, ...visiblePositions(this.world)]) this.#map.set(visible, grid.at(visible));
  }

  #believed(): World {
    const believed = new World(this.#map, this.world.position, this.world.direction);
    believed.carrying = this.world.carrying;
    return believed;
  }

  /** Looks all around, then for a shut door that can be opened, in at most one more round. */
  #explore(): string | null {
    if (this.#leftTurns >= ALL_AROUND) {
      const shut = seen(this.world).find(({ cell }) => isDoor(cell) && cell.state === 'closed');
      if (shut) return doorAction(this.world, shut);
    }
    if (this.#leftTurns >= 2 * ALL_AROUND) return null;
    this.#leftTurns++;
    return words.left;
  }

  /** Through the nearest door that nobody has opened yet. */
  #leave(believed: World): string | null {
    const pathTo = pathsFrom(believed, { throughDoors: true });
    const shut = this.#map
      .contents()
      .filter(({ cell }) => isDoor(cell) && cell.state === 'closed')
      .flatMap(({ position }) => {
        const path = pathTo(position);
        return path === null ? [] : [{ position, path }];
      });
    if (shut.length === 0) return null;
    const nearest = shut.reduce((best, way) => (way.path.length < best.path.length ? way : best));
    return this.#walk(believed, nearest.path, nearest.position);
  }

  #walk(believed: World, path: readonly Move[], target: Position): string | null {
    const door = doorInView(believed, path, target);
    const through = door && doorAction(believed, door);
    if (through) return through;
    return path.length === 0 ? 'toggle' : words[path[0]];
  }
}

const isMove = (action: string) => Object.values(words).includes(action);
