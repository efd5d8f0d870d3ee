// A player that knows no more of the map than it has seen, so that what it does follows from what a policy has read.
import { CHECK, doorAction } from './actions.js';
import { doorInView, expertAction, words } from './expert.js';
import { Grid, isDoor, turned, World, type Direction, type Move, type Position } from './grid.js';
import type { Mission, Task } from './mission.js';
import { pathToFace } from './paths.js';
import { visiblePositions } from './view.js';

/** Plays one world: looks at it before each action. */
export class Explorer {
  readonly #seen = new Set<string>();
  /** What was seen; the rest counts as wall. */
  readonly #map: Grid;

  constructor(private readonly world: World) {
    const { width, height } = world.grid;
    this.#map = new Grid(width, height);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) this.#map.set({ x, y }, 'wall');
  }

  /** The next action towards the first of the open tasks that can be worked at; null where nothing is left to explore. */
  next(open: Mission): string | null {
    this.#look();
    const believed = this.#believed(this.world.direction);
    for (const task of open) {
      const action = this.#towards(believed, task);
      if (action !== null) return action;
    }
    return this.#lookAround() ?? this.#leave(believed);
  }

  #towards(believed: World, task: Task): string | null {
    const action = expertAction(believed, task);
    return action === CHECK ? null : action;
  }

  #look(): void {
    const { grid, position } = this.world;
    for (const seen of [position, ...visiblePositions(this.world)]) {
      this.#seen.add(nameOf(seen));
      this.#map.set(seen, grid.at(seen));
    }
  }

  #believed(direction: Direction): World {
    const believed = new World(this.#map, this.world.position, direction);
    believed.carrying = this.world.carrying;
    return believed;
  }

  /** Turns while a view from here would show something new, to the left if that is as good. */
  #lookAround(): string | null {
    const shows = (quarters: number) => {
      const view = visiblePositions(this.#believed(turned(this.world.direction, quarters)));
      return view.some((position) => !this.#seen.has(nameOf(position)));
    };
    if (shows(-1)) return 'turn left';
    if (shows(1)) return 'turn right';
    return shows(2) ? 'turn left' : null;
  }

  /** Through the nearest door that nobody has opened yet. */
  #leave(believed: World): string | null {
    const shut = this.#map
      .contents()
      .filter(({ cell }) => isDoor(cell) && cell.state === 'closed')
      .flatMap(({ position }) => {
        const path = pathToFace(believed, position, { throughDoors: true });
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

const nameOf = ({ x, y }: Position): string => `${x} ${y}`;
