// Makes the table of flat names from the schemas of all tasks, algorithms and environments. A flat name is another name of an
// option, without the option's node: `policy_lm` stands for `policy.model`. `npm run option-files` writes the table to
// configs/flat-names.json.
import type { TObject, TProperties } from '@sinclair/typebox';
import { findAlgorithm, algorithmNames } from '@bowyer/algorithms';
import type { FlatNames, FlatPath } from '@bowyer/config';
import { flatNames, isGroup, toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames } from '@bowyer/envs';
import { algorithmNode } from '../keys/algorithm-node.js';
import { findTask, taskNames } from '../tasks/registry.js';
import { allChoices } from './editor-schemas.js';
import { optionsOf } from './units.js';

/** Lists every flat name with the paths of the options for which it may stand, in alphabetical order. */
export function flatNamesOfUnits(): FlatNames {
  const table = new Map<string, Set<string>>();
  const add = (name: string, path: string) => {
    if (name !== path) table.set(name, (table.get(name) ?? new Set()).add(path));
  };
  for (const choices of allChoices())
    for (const name of taskNames()) {
      const { algorithm: _, ...options } = optionsOf(findTask(name)!, choices);
      addOptions(options, add);
    }
  for (const [flat, path] of flatNames(algorithmNode(null), 'algorithm.')) add(flat, path);
  const ofAlgorithms = namedByAlgorithms();
  for (const { flat, path } of ofAlgorithms) add(flat, path);
  for (const name of environmentNames())
    for (const [flat, option] of Object.entries(environmentInfo(name).config?.flatNames ?? {}))
      add(flat, `env.${toSnakeCase(option)}`);
  const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
  const known = [...table]
    .sort(byName)
    .map(([name, paths]) => [name, [...paths].sort(byNode).map((path) => limited(name, path, ofAlgorithms))] as const);
  return Object.fromEntries([...known, ['*', NODES]]);
}

interface Named {
  flat: string;
  path: string;
  algorithm: string;
}

const namedByAlgorithms = (): Named[] =>
  algorithmNames().flatMap((name) => {
    const { options, aliases = [] } = findAlgorithm(name)!;
    const pairs = flatNames(options as TObject, 'algorithm.');
    return [name, ...aliases].flatMap((algorithm) => pairs.map(([flat, path]) => ({ flat, path, algorithm })));
  });

/**
 * If other algorithms use the name for another option, or as an option's path, the path is limited to the algorithms that use it for
 * this option.
 */
function limited(name: string, path: string, named: readonly Named[]): FlatPath {
  const same = named.filter((one) => one.flat === name || one.path === name);
  const own = same.filter((one) => one.flat === name && one.path === path);
  return own.length === 0 || own.length === same.length
    ? path
    : { path, units: own.map(({ algorithm }) => algorithm).sort() };
}

/** The config nodes whose options come first if a flat name stands for several options. */
const NODES = ['task', 'algorithm'];
const rankOf = (path: string): string => {
  const rank = NODES.indexOf(path.split('.')[0]);
  return `${rank === -1 ? NODES.length : rank} ${path}`;
};
const byNode = (a: string, b: string): number => (rankOf(a) < rankOf(b) ? -1 : 1);

/** Options without a declared flat name, whose own name is the flat name: in version 0.2 they were at the root of the config. */
const unnamed = ({ properties }: TObject): string[] =>
  Object.entries(properties).flatMap(([key, { flat }]) => (flat === undefined ? [key] : []));

function addOptions(options: TProperties, add: (name: string, path: string) => void): void {
  for (const [key, option] of Object.entries(options)) {
    if (!isGroup(option)) continue;
    for (const [flat, path] of flatNames(option, `${key}.`)) add(flat, path);
    if (key === 'task') for (const own of unnamed(option)) add(own, `task.${own}`);
  }
}
