// Defines the mission, the tasks that the agent must complete, and checks whether a task is complete. Source: the baby language
// of BabyAI (2019, arXiv:1810.08272), section 3.
import { isDoor, isThing, type Cell, type Door, type Position, type Thing, type World } from './grid.js';

/** A description such as "the red ball", which any thing or door of this kind and colour matches. */
export interface Description {
  kind: Thing['kind'] | 'door';
  colour: Thing['colour'];
}

export type Task =
  | { verb: 'goto' | 'pickup' | 'open'; target: Description }
  | { verb: 'putnext'; target: Description; beside: Description };

/** One task, or two tasks that may be done in any order. */
export type Mission = readonly Task[];

export const matches = ({ kind, colour }: Description, cell: Cell): cell is Thing | Door =>
  (isThing(cell) || isDoor(cell)) && cell.kind === kind && cell.colour === colour;

/** Returns whether the last grid move completes a task. `dropped`: the position at which that move put down a thing, or null. */
export function isDone(task: Task, world: World, move: string, dropped: Position | null): boolean {
  const front = world.grid.at(world.front);
  switch (task.verb) {
    case 'goto':
      return matches(task.target, front);
    case 'pickup':
      return move === 'pickup' && world.carrying !== null && matches(task.target, world.carrying);
    case 'open':
      return move === 'toggle' && matches(task.target, front) && (front as Door).state === 'open';
    case 'putnext':
      return dropped !== null && matches(task.target, world.grid.at(dropped)) && hasBeside(world, dropped, task.beside);
  }
}

const hasBeside = ({ grid }: World, { x, y }: Position, wanted: Description) =>
  [
    { x: x + 1, y },
    { x: x - 1, y },
    { x, y: y + 1 },
    { x, y: y - 1 },
  ].some((at) => matches(wanted, grid.at(at)));

const verbs = { goto: 'go to', pickup: 'pick up', open: 'open', putnext: 'put' } as const;

/** Returns the text of each task, with "a" before a description that several things match and "the" if only one does. */
export const taskTexts = (mission: Mission, { grid }: World): string[] => {
  const described = (wanted: Description) => {
    const fitting = grid.contents().filter(({ cell }) => matches(wanted, cell)).length;
    return `${fitting > 1 ? 'a' : 'the'} ${wanted.colour} ${wanted.kind}`;
  };
  return mission.map((task) => {
    const text = `${verbs[task.verb]} ${described(task.target)}`;
    return task.verb === 'putnext' ? `${text} next to ${described(task.beside)}` : text;
  });
};
