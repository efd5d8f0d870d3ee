// Shortest ways in low-level moves: to stand facing a cell.
import { ahead, isDoor, isFree, turned, type Direction, type Move, type Position, type World } from './grid.js';

interface Pose extends Position {
  direction: Direction;
}

export interface PathOptions {
  /** Ways may lead through shut doors, which are opened in passing; locked ones with their key in hand. */
  throughDoors: boolean;
}

/**
 * Fewest moves after which the agent stands before `target` and faces it; null where there is no way. Breadth-first over
 * poses (cell and direction); a shut door on the way costs one more move, `toggle`.
 */
export function pathToFace(world: World, target: Position, { throughDoors }: PathOptions): Move[] | null {
  const start: Pose = { ...world.position, direction: world.direction };
  const key = ({ x, y, direction }: Pose) => (y * world.grid.width + x) * 4 + direction;
  const cameFrom = new Map<number, { from: Pose; moves: Move[] } | null>([[key(start), null]]);
  let frontier: Pose[] = [start];
  while (frontier.length > 0) {
    const next: Pose[] = [];
    for (const pose of frontier) {
      const front = ahead(pose, pose.direction);
      if (front.x === target.x && front.y === target.y) return unwound(pose, cameFrom, key);
      const reach = (to: Pose, moves: Move[]) => {
        if (cameFrom.has(key(to))) return;
        cameFrom.set(key(to), { from: pose, moves });
        next.push(to);
      };
      reach({ ...pose, direction: turned(pose.direction, -1) }, ['left']);
      reach({ ...pose, direction: turned(pose.direction, 1) }, ['right']);
      const cell = world.grid.at(front);
      const forward = { ...front, direction: pose.direction };
      if (isFree(cell)) reach(forward, ['forward']);
      else if (throughDoors && isDoor(cell) && canOpen(world, cell)) reach(forward, ['toggle', 'forward']);
    }
    frontier = next;
  }
  return null;
}

const canOpen = ({ carrying }: World, { state, colour }: { state: string; colour: string }) =>
  state !== 'locked' || (carrying?.kind === 'key' && carrying.colour === colour);

function unwound(
  pose: Pose,
  cameFrom: ReadonlyMap<number, { from: Pose; moves: Move[] } | null>,
  key: (pose: Pose) => number,
): Move[] {
  const path: Move[] = [];
  for (let step = cameFrom.get(key(pose)); step; step = cameFrom.get(key(step.from))) path.unshift(...step.moves);
  return path;
}
