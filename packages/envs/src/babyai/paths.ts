// Finds the shortest sequence of grid moves after which the agent faces a given cell.
import { ahead, isDoor, isFree, turned, type Direction, type Move, type Position, type World } from './grid.js';

interface PathOptions {
  /** Whether paths may lead through closed doors, which are opened; through a locked one only if the agent carries its key. */
  throughDoors: boolean;
}

/** Returns the shortest path after which the agent faces `target` from an adjacent cell; null if there is no path. */
export const pathToFace = (world: World, target: Position, options: PathOptions): Move[] | null =>
  pathsFrom(world, options)(target);

/** The grid moves that lead from one pose (cell and direction) to the next. A closed door needs one more move. */
const arrivals: readonly (readonly Move[])[] = [['left'], ['right'], ['forward'], ['toggle', 'forward']];

/** Returns a function of the target cell; one breadth-first search over all poses serves all targets. */
export function pathsFrom(world: World, { throughDoors }: PathOptions): (target: Position) => Move[] | null {
  const { width, height } = world.grid;
  const poseOf = ({ x, y }: Position, direction: Direction) => (y * width + x) * 4 + direction;
  const poses = width * height * 4;
  /** [poses] the index of the pose in the order in which the search reached it; −1 if it was not reached. */
  const orders = new Int32Array(poses).fill(-1);
  /** [order of the search] the pose that was reached. */
  const reached = new Int32Array(poses);
  const cameFrom = new Int32Array(poses).fill(-1);
  const arrivedBy = new Uint8Array(poses);
  let count = 0;
  const reach = (pose: number, from: number, arrival: number) => {
    if (orders[pose] >= 0) return;
    orders[pose] = count;
    reached[count] = pose;
    cameFrom[count] = from;
    arrivedBy[count++] = arrival;
  };
  reach(poseOf(world.position, world.direction), -1, 0);
  for (let place = 0; place < count; place++) {
    const direction = (reached[place] % 4) as Direction;
    const cell = Math.floor(reached[place] / 4);
    reach(4 * cell + turned(direction, -1), place, 0);
    reach(4 * cell + turned(direction, 1), place, 1);
    const front = ahead({ x: cell % width, y: Math.floor(cell / width) }, direction);
    const there = world.grid.at(front);
    if (isFree(there)) reach(poseOf(front, direction), place, 2);
    else if (throughDoors && isDoor(there) && canOpen(world, there)) reach(poseOf(front, direction), place, 3);
  }
  return (target) => {
    let first = count;
    for (const direction of [0, 1, 2, 3] as const) {
      const { x, y } = ahead(target, direction, -1);
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const place = orders[poseOf({ x, y }, direction)];
      if (place >= 0 && place < first) first = place;
    }
    if (first === count) return null;
    const path: Move[] = [];
    for (let place = first; cameFrom[place] >= 0; place = cameFrom[place]) path.unshift(...arrivals[arrivedBy[place]]);
    return path;
  };
}

const canOpen = ({ carrying }: World, { state, colour }: { state: string; colour: string }) =>
  state !== 'locked' || (carrying?.kind === 'key' && carrying.colour === colour);
