// Resolves flat names, which are short names of options inside nodes: `lm_lr=1e-4` on a command line, or `lm_lr: 1e-4` at the top
// level of a file, sets the option `algorithm.actor.lr` of a config that has it.
import { ConfigError, placeText } from './config-error.js';
import { rootFrame, splitPath } from './key-path.js';
import { MapNode, isContainer, type ConfigNode, type Origin } from './node.js';
import { nodeAt } from './provenance.js';

/**
 * The paths that each flat name may stand for; if a config has several of them, the first one counts. `*` lists nodes whose
 * options may be given without the node's name, such as those of plugins, whose options are not in this table.
 */
export type FlatNames = Readonly<Record<string, readonly FlatPath[]>>;

/**
 * A path of an option. With `units` it is valid only if the node's `name` chooses one of these units (an algorithm, task or the
 * like).
 */
export type FlatPath = string | { readonly path: string; readonly units: readonly string[] };

/** A flat name that a file or an override has used, and the path of its option. */
export interface FlatUse {
  readonly name: string;
  readonly path: string;
}

/**
 * Finds the option's path for a key that is a flat name, or begins with one, in this config.
 *
 * @returns undefined for other keys
 * @throws {ConfigError} if several paths of the flat name exist in one node of the config
 */
export function pathOfFlatName(
  root: MapNode,
  key: string,
  names: FlatNames,
  { value, origin }: { value?: ConfigNode; origin?: Origin } = {},
): string | undefined {
  const keys = splitPath(key);
  const own = nodeAt(rootFrame(root), key)?.node;
  // A single value for a node, such as `task: play`, is a flat name for an option inside the node, such as `task.name`.
  if (own !== undefined && !(own.kind === 'map' && value !== undefined && !isContainer(value))) return undefined;
  for (let length = keys.length; length > 0; length--) {
    const name = keys.slice(0, length).join('.');
    if (!Object.hasOwn(names, name)) continue;
    const rest = keys.slice(length).map((one) => `.${one}`);
    const found = optionsNamed(root, name, names).filter((path) => path !== name);
    const nodes = found.map((path) => splitPath(path)[0]);
    if (found.length === 1 || (found.length > 1 && nodes[0] !== nodes[1])) return [found[0], ...rest].join('');
    if (found.length > 1)
      throw new ConfigError(
        'composition',
        `'${key}' may be one of several options here`,
        [...(origin === undefined ? [] : [`in ${placeText(origin)}`]), `write one of: ${found.join(', ')}`],
        { keyPath: key },
      );
  }
  const node = (names['*'] ?? []).map(pathOf).find((one) => nodeAt(rootFrame(root), `${one}.${key}`) !== undefined);
  return own === undefined && node !== undefined ? `${node}.${key}` : undefined;
}

/** Lists the options of a config that a flat name stands for with the chosen units. */
export const optionsNamed = (root: MapNode, name: string, names: FlatNames): readonly string[] =>
  pathsNamed(root, name, names).filter((path) => nodeAt(rootFrame(root), path) !== undefined);

/**
 * Lists the paths that a flat name stands for with the chosen units, whether the config has them or not. A unit that is not in the
 * table, such as one of a plugin, has the options of its own file.
 */
export const pathsNamed = (root: MapNode, name: string, names: FlatNames): readonly string[] =>
  pathsOf(name, names, (node, units) => {
    const chosen = nodeAt(rootFrame(root), `${node}.name`)?.node;
    return chosen?.kind === 'scalar' && (units.includes(String(chosen.value)) || !isKnown(String(chosen.value), names));
  });

const isKnown = (unit: string, names: FlatNames): boolean =>
  Object.values(names).some((paths) => paths.some((given) => typeof given !== 'string' && given.units.includes(unit)));

/** Lists the options of a config that a flat name can stand for, whichever units (algorithm, task and so on) are chosen. */
export const optionsOfAnyUnit = (root: MapNode, name: string, names: FlatNames): readonly string[] =>
  pathsOf(name, names, () => true).filter((path) => nodeAt(rootFrame(root), path) !== undefined);

const pathOf = (given: FlatPath): string => (typeof given === 'string' ? given : given.path);

const pathsOf = (
  name: string,
  names: FlatNames,
  isOf: (node: string, units: readonly string[]) => boolean,
): readonly string[] =>
  (Object.hasOwn(names, name) ? names[name]! : [])
    .filter((given) => typeof given === 'string' || isOf(splitPath(given.path)[0], given.units))
    .map(pathOf);

const split = new WeakMap<FlatNames, readonly { name: string; first: string }[]>();

/** Lists the flat names, each with its first key. The names are split only once, since every config file is searched for them. */
function firstKeys(names: FlatNames): readonly { name: string; first: string }[] {
  const known = split.get(names) ?? Object.keys(names).map((name) => ({ name, first: name.split('.', 1)[0]! }));
  split.set(names, known);
  return known;
}

/**
 * Moves the values that a config file has under flat names to the paths of the options in `root`, into which it is merged. Adds
 * the names to `used`.
 */
export function withoutFlatNames(body: MapNode, root: MapNode, names: FlatNames, used: FlatUse[]): MapNode {
  const given = firstKeys(names).filter(({ first }) => body.get(first) !== undefined);
  const moves = given.flatMap(({ name }) => {
    const value = nodeAt(rootFrame(body), name)?.node;
    if (value === undefined) return [];
    const path = pathOfFlatName(root, name, names, { value, origin: value.origin });
    return path === undefined ? [] : [{ name, path, value: withMembers(value, { name, path }, root, names) }];
  });
  if (moves.length === 0) return body;
  const moved = shallow(body);
  for (const { name, path, value } of moves) {
    removeAt(moved, splitPath(name));
    refuseSecond(nodeAt(rootFrame(moved), path)?.node, value, name, path);
    setAt(moved, splitPath(path), value);
    used.push({ name, path });
  }
  return moved;
}

/** Renames the members of a node that a file gives by the node's flat name to the names that they have at the node's path. */
function withMembers(value: ConfigNode, node: FlatUse, root: MapNode, names: FlatNames): ConfigNode {
  if (value.kind !== 'map') return value;
  const renamed = new MapNode(value.origin);
  for (const { key, node: child, keyOrigin } of value.entries.values())
    renamed.set(typeof key === 'string' ? memberName(key, node, root, names) : key, child, keyOrigin);
  return renamed;
}

/** Returns the present name of a member of a node that is given by its flat name, such as `warmup_steps` of `lm_schedule`. */
export function memberName(member: string, { name, path }: FlatUse, root: MapNode, names: FlatNames): string {
  const own = pathOfFlatName(root, `${name}.${member}`, names);
  return own?.startsWith(`${path}.`) ? own.slice(path.length + 1) : member;
}

/** Throws a `ConfigError` if the same file also sets the option by its path or by another flat name. */
function refuseSecond(first: ConfigNode | undefined, second: ConfigNode, name: string, path: string): void {
  if (first === undefined || first === second) return; // a flat name inside another one
  if (first.kind === 'map' && second.kind === 'map') {
    for (const { key, node } of second.entries.values())
      refuseSecond(first.get(String(key)), node, `${name}.${key}`, `${path}.${key}`);
    return;
  }
  throw givenTwice(path, `as ${name}, in ${placeText(second.origin)}`, `in ${placeText(first.origin)}`);
}

export const givenTwice = (path: string, ...places: string[]): ConfigError =>
  new ConfigError('composition', `'${path}' is given twice, under two names`, [...places, 'leave one of them out'], {
    keyPath: path,
  });

/** Copies a mapping and the mappings inside it; the copies share all other values. */
function shallow(node: MapNode): MapNode {
  const copy = new MapNode(node.origin);
  copy.previous = node.previous;
  for (const [id, { key, node: child, keyOrigin }] of node.entries)
    copy.entries.set(id, { key, node: child.kind === 'map' ? shallow(child) : child, keyOrigin });
  return copy;
}

function removeAt(root: MapNode, keys: readonly string[]): void {
  const parent = keys.length === 1 ? root : nodeAt(rootFrame(root), keys.slice(0, -1).join('.'))?.node;
  if (parent?.kind === 'map') parent.delete(keys.at(-1)!);
}

function setAt(root: MapNode, keys: readonly string[], value: ConfigNode): void {
  let at = root;
  for (const key of keys.slice(0, -1)) {
    const next = at.get(key);
    const map = next?.kind === 'map' ? next : new MapNode(value.origin);
    if (map !== next) at.set(key, map);
    at = map;
  }
  const last = keys.at(-1)!;
  const old = at.get(last);
  if (old?.kind === 'map' && value.kind === 'map')
    for (const { key, node, keyOrigin } of value.entries.values()) old.set(key, node, keyOrigin);
  else at.set(last, value);
}
