// Reads ALFWorld's own game files: `game.tw-pddl` (JSON that contains a PDDL problem) and `traj_data.json` in the same folder.
// Format: the game files of ALFWorld 0.3 (json_2.1.1), see alfworld.md.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupBy } from '@bowyer/core';
import { kindName, parseFormula } from './formula.js';
import { taskTypes, type Problem, type Receptacle, type Task, type Thing } from './problem.js';
import { parseSExpression, type SExpression } from './s-expression.js';
import { goalText } from './tasks.js';

class GameFileError extends Error {
  override readonly name = 'GameFileError';

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}\n  give a game.tw-pddl of ALFWorld, or a folder with such files`);
  }
}

const GAME_FILE = 'game.tw-pddl';

/** Returns the path itself if it is a game file, or all game files below the folder, sorted by path. */
export function findGames(path: string): string[] {
  if (!existsSync(path)) throw new GameFileError(path, 'no such file or folder');
  if (!statSync(path).isDirectory()) return [path];
  const games = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(GAME_FILE))
    .sort()
    .map((name) => join(path, name));
  if (games.length === 0) throw new GameFileError(path, `the folder contains no ${GAME_FILE}`);
  return games;
}

export function readProblem(path: string): Problem {
  try {
    const game = JSON.parse(readFileSync(path, 'utf8')) as { pddl_problem?: unknown; grammar?: unknown };
    if (typeof game.pddl_problem !== 'string')
      throw new Error("the key 'pddl_problem' is missing, or its value is not a text");
    const task = readTask(join(dirname(path), 'traj_data.json'));
    const goalText = /Your task is to: ([^"\\\n]*?)\.?\s*(?:["\\\n]|$)/.exec(String(game.grammar ?? ''))?.[1];
    return { ...problemOf(parseSExpression(game.pddl_problem)), task, goalText: goalText ?? wordsFor(task) };
  } catch (error) {
    throw new GameFileError(path, (error as Error).message);
  }
}

const wordsFor = (task: Task | null) => (task === null ? 'find out what is wanted' : goalText(task, 0));

/** Returns the task that traj_data.json states; null if the file is missing or its task is not one of the six. */
function readTask(path: string): Task | null {
  if (!existsSync(path)) return null;
  const { task_type, pddl_params: p } = JSON.parse(readFileSync(path, 'utf8')) as {
    task_type?: string;
    pddl_params?: Record<'object_target' | 'parent_target' | 'toggle_target', string>;
  };
  const type = taskTypes.find((known) => known === task_type);
  if (!type || !p) return null;
  const target = type === 'look_at_obj_in_light' ? p.toggle_target : p.parent_target;
  return { type, object: p.object_target.toLowerCase(), target: target.toLowerCase() };
}

/** The facts of the problem's `:init` block, keyed by predicate. */
type FactTable = ReadonlyMap<string, readonly (readonly string[])[]>;

function problemOf(expression: SExpression): Omit<Problem, 'task' | 'goalText'> {
  const facts = factTable(section(expression, ':init').slice(1));
  const goal = section(expression, ':goal');
  const of = (predicate: string) => facts.get(predicate) ?? [];
  const has = (predicate: string) => new Set(of(predicate).map(([id]) => id));
  const receptacleKinds = new Map(of('receptacletype').map(([id, type]) => [id, kindName(type)]));
  const thingKinds = new Map(of('objecttype').map(([id, type]) => [id, kindName(type)]));
  const names = displayNames([...new Set([...receptacleKinds.keys(), ...thingKinds.keys()])]);
  const locations = new Map(of('receptacleatlocation').map(([id, location]) => [id, location]));
  const openable = has('openable');
  const able =
    (predicate: string, ids = has(predicate)) =>
    (id: string) =>
      ids.has(id);
  const flags = {
    pickupable: able('pickupable'),
    cleanable: able('cleanable'),
    heatable: able('heatable'),
    coolable: able('coolable'),
    toggleable: able('toggleable'),
    sliceable: able('sliceable'),
  };
  const receptacles = [...receptacleKinds].map(([id, kind]): Receptacle => ({
    name: names.get(id)!,
    kind,
    location: locations.get(id) ?? `at ${id}`,
    openable: openable.has(id),
  }));
  const things = [...thingKinds].map(([id, kind]) => {
    const able = Object.entries(flags).map(([flag, holds]) => [flag, holds(id)]);
    return { name: names.get(id)!, kind, ...Object.fromEntries(able) } as Thing;
  });
  return {
    receptacles,
    things,
    placements: new Map(of('inreceptacle').map(([thing, receptacle]) => [names.get(thing)!, names.get(receptacle)!])),
    opened: new Set([...has('opened')].map((id) => names.get(id)!)),
    canContain: new Set(of('cancontain').map(([receptacle, thing]) => `${kindName(receptacle)} ${kindName(thing)}`)),
    startLocation: of('atlocation')[0]?.[1] ?? 'middle of the room',
    goal: parseFormula(goal[1]),
  };
}

function section(problem: SExpression, name: string): readonly SExpression[] {
  const found =
    typeof problem === 'string' ? undefined : problem.find((part) => typeof part !== 'string' && part[0] === name);
  if (found === undefined || typeof found === 'string') throw new Error(`the problem has no '${name}' block`);
  return found;
}

/** Returns the facts whose terms are names, without costs and distances, which have no effect on the text game. */
function factTable(init: readonly SExpression[]): FactTable {
  const table = new Map<string, (readonly string[])[]>();
  for (const entry of init) {
    if (typeof entry === 'string' || entry[0] === '=' || entry.some((part) => typeof part !== 'string')) continue;
    const [predicate, ...terms] = entry as readonly string[];
    table.set(predicate, [...(table.get(predicate) ?? []), terms]);
  }
  return table;
}

/**
 * Makes the name of each thing from its kind and a number, as ALFWorld does. Ids are sorted and grouped by the text before the
 * first bar ("basin" is added if the id has it). Numbers descend, so that the first id of a kind has the highest number.
 */
function displayNames(ids: readonly string[]): Map<string, string> {
  const groups = groupBy([...ids].sort(), (id) => {
    const head = id.split(/_bar_|\|/)[0];
    return id.includes('basin') && !head.endsWith('basin') ? `${head}basin` : head;
  });
  const names = new Map<string, string>();
  for (const [kind, members] of groups) members.forEach((id, i) => names.set(id, `${kind} ${members.length - i}`));
  return names;
}
