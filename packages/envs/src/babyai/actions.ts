// Lists the text actions of AgentGym's BabyAI server, such as 'go to red ball 1', and converts each to the grid moves (turn,
// step, pick up …) that carry it out.
import { isDoor, isFree, isThing, type Move, type World } from './grid.js';
import { pathToFace } from './paths.js';
import { nameOf, seen, type Seen } from './view.js';

export const CHECK = 'check available actions';

const plain: Readonly<Record<string, Move>> = {
  'turn left': 'left',
  'turn right': 'right',
  'move forward': 'forward',
  toggle: 'toggle',
  drop: 'drop',
};

/** Returns the possible text actions in the server's order: single moves, taking or dropping, doors, things to go to. */
export function availableActions(world: World): string[] {
  const view = seen(world);
  const front = world.grid.at(world.front);
  const things = view.filter(({ cell }) => isThing(cell));
  const called = ({ name, number }: Seen) => `${name} ${number}`;
  return [
    'turn left',
    'turn right',
    ...(isFree(front) ? ['move forward'] : []),
    ...(world.carrying === null ? things.map((item) => `pickup ${called(item)}`) : ['drop']),
    ...(isDoor(front) ? ['toggle'] : []),
    ...view.flatMap((item) => doorAction(world, item) ?? []),
    ...view.map((item) => `go to ${called(item)}`),
    CHECK,
  ];
}

/** Returns the text action that opens or passes a door; null if the cell is not a door, or the key of a locked one is missing. */
export function doorAction({ carrying }: World, { cell, name, number }: Seen): string | null {
  if (!isDoor(cell)) return null;
  if (cell.state === 'open') return `go through ${name} ${number}`;
  const hasKey = carrying?.kind === 'key' && carrying.colour === cell.colour;
  return cell.state === 'locked' && !hasKey ? null : `toggle and go through ${name} ${number}`;
}

/** Returns the grid moves that carry out a text action; null if the action is unknown or names nothing in view. */
export function movesOf(world: World, action: string): Move[] | null {
  if (action in plain) return [plain[action]];
  const [, verb, name, number] =
    /^(go to|pickup|toggle and go through|go through) ((?:red|green|blue|purple|yellow|grey) .+) (\d+)$/.exec(action) ??
    [];
  const item = seen(world).find((candidate) => candidate.name === name && candidate.number === Number(number));
  if (verb === undefined || item === undefined) return null;
  if (verb === 'pickup' && !isThing(item.cell)) return null;
  if (verb.endsWith('through') && doorAction(world, item) !== action) return null;
  const path = pathToFace(world, item.position, { throughDoors: false });
  if (path === null) return [];
  const then: Record<string, Move[]> = {
    'go to': [],
    pickup: ['pickup'],
    'toggle and go through': ['toggle', 'forward', 'forward'],
    'go through': ['forward', 'forward'],
  };
  return [...path, ...then[verb]];
}

/** Describes the things in view and the carried thing in the sentences of AgentGym's server. */
export function description(world: World): string {
  const sentences = seen(world).map((item) => `There is a ${item.name} ${item.number} ${whereabouts(item)}.  `);
  const carried =
    world.carrying === null ? 'You are not carrying anything.' : `You are carrying a ${nameOf(world.carrying)}.`;
  return `In front of you in this room, you can see several objects: ${sentences.join('')}The room has walls around you. ${facing(world)} ${carried}`;
}

function whereabouts({ forward, right }: Seen): string {
  if (right === 0) return `right in front of you ${forward} steps away`;
  return `${forward} steps in front of you and ${Math.abs(right)} steps to your ${right > 0 ? 'right' : 'left'}`;
}

/** Describes in a sentence the nearest thing, door or wall straight ahead of the agent. */
function facing(world: World): string {
  const { grid, position, front } = world;
  const [dx, dy] = [front.x - position.x, front.y - position.y];
  for (let steps = 1; ; steps++) {
    const cell = grid.at({ x: position.x + dx * steps, y: position.y + dy * steps });
    if (cell !== null) return `You are facing a ${cell === 'wall' ? 'wall' : cell.kind} ${steps} steps away.`;
  }
}
