// Finds options of a composed config that its run does not read. Those in Bowyer's own config files are removed; those that the
// user gave are refused, so that nothing is silently ignored.
import { sep } from 'node:path';
import type { TObject, TSchema } from '@sinclair/typebox';
import { algorithmNames, findAlgorithm } from '@bowyer/algorithms';
import { ConfigError, type Composition, type PlainObject, type PrepareContext } from '@bowyer/config';
import { isNode, unitOptions } from '@bowyer/core';
import { environmentNames } from '@bowyer/envs';
import { findTask, taskNames } from '../tasks/registry.js';
import { conditionOf } from './conditions.js';
import { hasPath } from './originals/run-facts.js';
import { isOfUser } from './user-files.js';
import { placeText } from '../plugins/place-text.js';
import { loadPlugins } from '../plugins/plugins.js';
import { choicesOf, optionsOf, schemaOf, taskOf, unknownUnit } from './units.js';

/** The config groups whose chosen option decides which other options exist. */
const UNITS = ['task', 'algorithm', 'env', 'context', 'memory', 'policy', 'critic', 'optimizer', 'preset'];

/**
 * @param shipped folders of the config files that belong to Bowyer
 * @returns the paths to remove from the composition; the validation reports the unknown keys that are left
 * @throws {ConfigError} for options of the user that the run would read with another choice
 */
export async function unreadKeys(
  composition: Composition,
  { overrides }: PrepareContext,
  shipped: readonly string[],
): Promise<string[]> {
  await loadPlugins(composition);
  // For an unknown task, environment or algorithm nothing is removed, since the validation reports it.
  if (taskOf(composition) === undefined || unknownUnit(composition) !== undefined) return [];
  const unread = unreadPaths(composition.config, schemaOf(composition));
  const typed = overrides.filter(({ kind, isGroup }) => kind !== 'delete' && !isGroup).map(({ key }) => key);
  const isSwitched = overrides.some(({ key, isGroup }) => isGroup && UNITS.includes(key));
  const choices = choicesOf(composition);
  const useless = uselessChoices(composition, overrides, unread);
  const isTyped = (path: string) =>
    useless.includes(composition.origin(path)[0]?.source) ||
    typed.some((key) => key === path || isBelow(key, path) || isBelow(path, key));
  const ofFiles = unread.filter((path) => !isTyped(path) && isOfUser(composition.origin(path)[0], shipped));
  // If the command line chooses another task, algorithm or the like than the user's file, the file's options for the replaced one
  // are removed too.
  const ofReplaced = isSwitched ? optionsOfOthers(ofFiles, composition) : [];
  const ofUser = unread.filter((path) => isTyped(path) || (ofFiles.includes(path) && !ofReplaced.includes(path)));
  const refused = ofUser.filter((path) => conditionOf(path, choices) !== undefined);
  if (refused.length > 0) throw refusal(refused, composition, typed);
  return unread.filter((path) => !ofUser.includes(path));
}

const isBelow = (path: string, node: string): boolean => path.startsWith(`${node}.`);

/** Lists paths such as `lora` or `demonstrations.noise` that the schema does not have. */
function unreadPaths(config: PlainObject, schema: TSchema, prefix = ''): string[] {
  if (!isNode(schema)) return [];
  return Object.entries(config).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    const known = ((schema as TObject).properties as Record<string, TSchema>)[key];
    if (known === undefined) return [path];
    return isTree(value) ? unreadPaths(value, known, `${path}.`) : [];
  });
}

const isTree = (value: unknown): value is PlainObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Finds, among unread options, those that a run with another task, algorithm, environment or setting would read. */
function optionsOfOthers(paths: readonly string[], composition: Composition): string[] {
  if (paths.length === 0) return [];
  const choices = choicesOf(composition);
  const tasks = taskNames().map((name) => findTask(name)!);
  const played = [taskOf(composition)!, findTask('train')!];
  const others = [
    ...tasks.map((task) => ({ task, ...choices })),
    ...played.flatMap((task) =>
      algorithmNames().map((name) => ({ task, ...choices, algorithm: findAlgorithm(name)! })),
    ),
    ...played.flatMap((task) => environmentNames().map((env) => ({ task, ...choices, env }))),
  ];
  const schemas = others.map(({ task, ...own }) => unitOptions(optionsOf(task, own)));
  const isFlatName = (path: string) => Object.hasOwn(composition.flatNames, path);
  return paths.filter(
    (path) =>
      isFlatName(path) || conditionOf(path, choices) !== undefined || schemas.some((schema) => hasPath(schema, path)),
  );
}

/** Lists choices of config groups on the command line from which the run reads nothing, such as `policy=openai` in a training. */
function uselessChoices(
  composition: Composition,
  overrides: PrepareContext['overrides'],
  unread: readonly string[],
): (string | undefined)[] {
  const chosen = overrides.filter(({ isGroup, kind }) => isGroup && kind !== 'delete');
  const leaves = leavesOf(composition.config).map((path) => ({ path, source: composition.origin(path)[0]?.source }));
  return chosen.flatMap(({ key, value }) => {
    const own = leaves.filter(({ source }) => source?.endsWith(`${sep}${key}${sep}${String(value)}.yaml`));
    const isRead = own.some(({ path }) => !unread.some((one) => one === path || isBelow(path, one)));
    return own.length === 0 || isRead ? [] : [own[0].source];
  });
}

const leavesOf = (config: PlainObject, prefix = ''): string[] =>
  Object.entries(config).flatMap(([key, value]) =>
    isTree(value) ? leavesOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );

function refusal(refused: readonly string[], composition: Composition, typed: readonly string[]): ConfigError {
  const choices = choicesOf(composition);
  // For a refused node, the message lists the options in it that the user has given.
  const paths = refused.flatMap((path) => {
    const inside = typed.filter((key) => isBelow(key, path));
    return inside.length > 0 ? inside : [path];
  });
  const lines = paths.flatMap((path, i) => {
    const [{ source, line }] = composition.origin(path);
    const value = composition.setting(path);
    return [
      ...(i === 0 ? [] : ['']),
      `${path}${isTree(value) ? '' : `=${String(value)}`} has no effect: this run does not read it`,
      `  in ${placeText(source, line)}`,
      `  ${conditionOf(path, choices)}`,
    ];
  });
  const count = paths.length === 1 ? 'A key would be ignored' : `${paths.length} keys would be ignored`;
  return new ConfigError('validation', count, lines, { keyPath: paths[0] });
}
