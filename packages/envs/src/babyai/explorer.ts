// Finds the actions of an expert that knows only the part of the map that it has seen. A policy can imitate it, since its actions
// follow from observations which the policy has too.
import { CHECK, doorAction } from './actions.js';
import { aimOf, doorInView, expertStep, words, type Step } from './expert.js';
import { ahead, Grid, isDoor, turned, World, type Door, type Position } from './grid.js';
import type { Mission, Task } from './mission.js';
import { pathsFrom } from './paths.js';
import { nameOf, seen, visiblePositions } from './view.js';

/** The number of left turns in one cell after which the agent has seen all four directions. */
const ALL_AROUND = 3;

/** A text action and its purpose, such as `look 2` or `grey key by blue open door 3 behind`. */
interface ExplorerStep {
  action: string;
  purpose: string;
}

/** When the expert can work on no task, it looks in all directions by left turns, then goes to the nearest closed door. */
export class Explorer {
  /** The cells that the expert has seen; all others are entered as walls. */
  readonly #map: Grid;
  /** The left turns since the last action that was not a single move. They determine which directions were seen from here. */
  #leftTurns = 0;
  /** The closed door to which the expert goes when nothing is left to explore on its side of the door. */
  #destination: Position | null = null;

  constructor(private readonly world: World) {
    const { width, height } = world.grid;
    this.#map = new Grid(width, height);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) this.#map.set({ x, y }, 'wall');
  }

  /** Returns the next action for the first unfinished task that the expert can work on; null if nothing is left to explore. */
  next(open: Mission): ExplorerStep | null {
    this.#look();
    const believed = this.#believed();
    return this.#work(believed, open) ?? this.#explore(this.#doorAt(this.#destination)) ?? this.#leave(believed);
  }

  /** Updates the map after any action of the agent, whether this expert proposed it or not. */
  acted(action: string): void {
    this.#look();
    if (action === words.left) this.#leftTurns++;
    else if (!isMove(action)) this.#leftTurns = 0;
  }

  #work(believed: World, open: Mission): ExplorerStep | null {
    for (const task of open) {
      const step = this.#towards(believed, task);
      if (step !== null) return step;
    }
    return null;
  }

  #towards(believed: World, task: Task): ExplorerStep | null {
    const step = expertStep(believed, task);
    return step === null || step.action === CHECK ? null : this.#stepFor(step);
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

  /**
   * Returns the next action of looking around by left turns, or of going through a closed door in view. Without a destination,
   * the first full turn looks for the tasks' things and the second for doors; with one, a single full turn looks for doors.
   * Returns null afterwards.
   */
  #explore(destination: Door | null): ExplorerStep | null {
    if (this.#leftTurns >= ALL_AROUND || destination !== null) {
      const shut = seen(this.world).find(({ cell }) => isDoor(cell) && cell.state === 'closed');
      if (shut) return this.#stepFor({ action: doorAction(this.world, shut)!, aim: shut });
    }
    if (this.#leftTurns >= (destination === null ? 2 : 1) * ALL_AROUND) return null;
    const sought = destination === null ? '' : ` for ${nameOf(destination)}`;
    return { action: words.left, purpose: `look ${this.#leftTurns + 1}${sought}` };
  }

  /** Returns the door at a position if it is closed according to the map. */
  #doorAt(place: Position | null): Door | null {
    const cell = place === null ? null : this.#map.at(place);
    return isDoor(cell) && cell.state === 'closed' ? cell : null;
  }

  /** Returns the next action towards or through the nearest closed door of the known map. */
  #leave(believed: World): ExplorerStep | null {
    const pathTo = pathsFrom(believed, { throughDoors: true });
    const shut = this.#map
      .contents()
      .filter(({ cell }) => isDoor(cell) && cell.state === 'closed')
      .flatMap(({ position, cell }) => {
        const path = pathTo(position);
        return path === null ? [] : [{ thing: { position, cell: cell as Door }, path }];
      });
    if (shut.length === 0) return null;
    const nearest = shut.reduce((best, way) => (way.path.length < best.path.length ? way : best));
    const { path, thing } = nearest;
    this.#destination = thing.position;
    const door = doorInView(believed, path, thing.position);
    const through = door && doorAction(believed, door);
    const action = through ?? (path.length === 0 ? words.toggle : words[path[0]]);
    return this.#stepFor({ action, aim: aimOf(believed, nearest) });
  }

  #stepFor({ action, aim }: Step): ExplorerStep {
    if (aim === undefined) return { action, purpose: 'free hands' };
    const { position, direction } = this.world;
    const [dx, dy] = [aim.position.x - position.x, aim.position.y - position.y];
    const along = (quarters: number) => {
      const { x, y } = ahead({ x: 0, y: 0 }, turned(direction, quarters));
      return dx * x + dy * y;
    };
    const steps = (count: number, positive: string, negative: string) =>
      count === 0 ? [] : [`${Math.abs(count)} ${count > 0 ? positive : negative}`];
    const where = [...steps(along(0), 'ahead', 'behind'), ...steps(along(1), 'right', 'left')];
    const by = aim.by === undefined ? [] : [`by ${aim.by}`];
    return { action, purpose: [aim.name, ...by, ...where].join(' ') };
  }
}

const isMove = (action: string) => Object.values(words).includes(action);
