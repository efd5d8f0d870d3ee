// Flat names of options that stand in nodes: `lm_lr=1e-4` of a command line, and `lm_lr: 1e-4` at the top of a file, mean the option
// `algorithm.actor.lr` of a config that has one.
import { ConfigError, placeText } from './config-error.js';
import { rootFrame, splitPath } from './key-path.js';
import { MapNode, isContainer, type ConfigNode, type Origin } from './node.js';
import { nodeAt, origins } from './provenance.js';

/**
 * The paths that each flat name may stand for. Where a config has several of them in several nodes, the one that is listed first counts;
 * where it has several in one node, the one of the file that gives the node its `name`.
 * `*` lists nodes whose options may also be given without the node, as those of units that a program does not know beforehand.
 */
export type FlatNames = Readonly<Record<string, readonly string[]>>;

/** A flat name that was used, and the path that it stood for. */
export interface FlatUse {
  readonly name: string;
  readonly path: string;
}

/**
 * Finds the path that a key stands for: the key itself, or a flat name before its first dots, stands for the one of its paths that the
 * config has.
 *
 * @returns undefined for a key that is not a flat name here
 * @throws {ConfigError} where the config has several of its paths
 */
export function pathOfFlatName(
  root: MapNode,
  key: string,
  names: FlatNames,
  { value, origin }: { value?: ConfigNode; origin?: Origin } = {},
): string | undefined {
  const keys = splitPath(key);
  const own = nodeAt(rootFrame(root), key)?.node;
  // A single value for a node, as `task: play`, is that of the option which names the node's unit.
  if (own !== undefined && !(own.kind === 'map' && value !== undefined && !isContainer(value))) return undefined;
  for (let length = keys.length; length > 0; length--) {
    const name = keys.slice(0, length).join('.');
    if (!Object.hasOwn(names, name)) continue;
    const rest = keys.slice(length).map((one) => `.${one}`);
    const found = ofNamedUnit(
      root,
      names[name]!.filter((path) => path !== name && nodeAt(rootFrame(root), path) !== undefined),
    );
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
  const node = (names['*'] ?? []).find((one) => nodeAt(rootFrame(root), `${one}.${key}`) !== undefined);
  return own === undefined && node !== undefined ? `${node}.${key}` : undefined;
}

/** Leaves out options that a file has given to a node for another unit than the chosen one. */
function ofNamedUnit(root: MapNode, paths: readonly string[]): readonly string[] {
  if (paths.length < 2) return paths;
  const sourcesOf = (path: string) => origins(rootFrame(root), path).map(({ source }) => source);
  const ofUnit = paths.filter((path) => {
    const files = sourcesOf(`${splitPath(path)[0]}.name`);
    return files.length === 0 || sourcesOf(path).some((source) => files.includes(source));
  });
  return ofUnit.length === 0 ? paths : ofUnit;
}

/** Moves what a config has under flat names to their paths in the config that it is merged into. @param used gets each of them */
export function withoutFlatNames(body: MapNode, root: MapNode, names: FlatNames, used: FlatUse[]): MapNode {
  const given = Object.keys(names).filter((name) => body.get(name.split('.', 1)[0]!) !== undefined);
  const moves = given.flatMap((name) => {
    const value = nodeAt(rootFrame(body), name)?.node;
    if (value === undefined) return [];
    const path = pathOfFlatName(root, name, names, { value, origin: value.origin });
    return path === undefined ? [] : [{ name, path, value }];
  });
  if (moves.length === 0) return body;
  const moved = shallow(body);
  for (const { name, path, value } of moves) {
    removeAt(moved, splitPath(name));
    setAt(moved, splitPath(path), value);
    used.push({ name, path });
  }
  return moved;
}

/** Copies the mappings, whose values stay the same. */
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
