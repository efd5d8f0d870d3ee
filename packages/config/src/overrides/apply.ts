// Applies overrides of plain keys to the composed config, in the given order.
// The config is closed: `key=value` requires the key, `+key=value` adds it, `++key=value` does either, `~key` removes it.
import { ConfigError, placeText } from '../config-error.js';
import { isFixedSetting } from '../hydra/schema.js';
import { checkInterpolations } from '../interpolation/check.js';
import type { Resolution } from '../interpolation/resolve.js';
import { child, framePath, isIndex, rootOf, splitPath, type Frame } from '../key-path.js';
import { KindMismatch, mergeInto, replace } from '../merge.js';
import { nearest } from '../nearest.js';
import {
  ListNode,
  MapNode,
  ScalarNode,
  isContainer,
  isMissing,
  keyId,
  type ConfigNode,
  type ContainerNode,
  type Origin,
} from '../node.js';
import { nodeStr, pythonEquals } from '../python-text.js';
import { DictValue, ListExtension, overridePlace, QuotedString, type Element, type Override } from './value.js';

interface ApplyOptions {
  readonly resolution: Resolution;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Lists the flat names of the config's options with their paths, for suggestions about mistyped keys. */
  readonly flatNames?: () => ReadonlyMap<string, string>;
}

export function applyOverride(override: Override, root: Frame<MapNode>, options: ApplyOptions): void {
  const { key, text } = override;
  if (override.package !== undefined) {
    throw new ConfigError(
      'composition',
      `'${text}' looks like a config group override, but config group '${key}' does not exist`,
      [`to set a plain key, leave out '@${override.package}'`],
      { keyPath: key },
    );
  }
  if (key === '') throw new ConfigError('composition', `'${text}' names no key`, [`write 'key=value'`]);
  refuseSweeperParams(override, root, options);
  try {
    if (override.kind === 'delete') remove(override, root, options);
    else if (override.value instanceof ListExtension) extend(override, override.value, root, options);
    else if (override.kind === 'add') add(override, root, options);
    else update(override, root, options);
  } catch (error) {
    if (error instanceof KindMismatch)
      throw new ConfigError(
        'type',
        `Error merging override '${text}': ${error.message}`,
        [`set the whole value: '${key}' cannot change from one kind to the other`],
        { keyPath: key },
      );
    throw error;
  }
}

// Hydra fails on overrides that would add `hydra.sweeper.params` with an internal error; a sweep on the command line has the same
// effect.
function refuseSweeperParams({ key, value, text }: Override, root: Frame<MapNode>, { resolution }: ApplyOptions): void {
  if (!(key === 'hydra.sweeper.params' && value instanceof DictValue) && !key.startsWith('hydra.sweeper.params.'))
    return;
  const params = resolution.select(root, 'hydra.sweeper.params');
  if (params?.node.kind !== 'scalar' || params.node.value !== null) return;
  throw new ConfigError(
    'composition',
    `Error merging override '${text}': hydra.sweeper.params cannot be added on the command line`,
    [`write the sweep itself, such as 'seed=1,2' with --multirun, or set params in the primary config`],
    { keyPath: key },
  );
}

export function elementNode(value: Element, origin: Origin): ConfigNode {
  if (value instanceof QuotedString) return new ScalarNode(value.text, origin);
  if (Array.isArray(value)) {
    const list = new ListNode(origin);
    for (const item of value) list.items.push(elementNode(item, origin));
    return list;
  }
  if (!(value instanceof DictValue)) return new ScalarNode(value, origin);
  const map = new MapNode(origin);
  for (const { key, value: item } of value.pairs) {
    if (key === null)
      throw new ConfigError('type', 'a key cannot be null', [
        `in ${origin.source}`,
        'quote the whole value if the text itself is meant',
      ]);
    map.set(key, elementNode(item, origin));
  }
  return map;
}

const originOf = (override: Override): Origin => ({ source: overridePlace(override) });

function existing(override: Override, root: Frame<MapNode>, { resolution }: ApplyOptions): Frame | undefined {
  const found = resolution.select(root, override.key);
  return found && !isMissing(found.node) && !(found.node.kind === 'scalar' && found.node.value === null)
    ? found
    : undefined;
}

function remove(override: Override, root: Frame<MapNode>, options: ApplyOptions): void {
  const { key, value } = override;
  const found = existing(override, root, options);
  if (!found) {
    const near = nearestPath(key, root, options);
    throw new ConfigError(
      'composition',
      `Could not delete from config: '${key}' does not exist`,
      near ? [`did you mean '~${near}'?`] : [],
      { keyPath: key },
    );
  }
  if (
    value !== undefined &&
    value !== null &&
    !equals(elementNode(value as Element, originOf(override)), found, options.resolution)
  ) {
    const given =
      value instanceof QuotedString ? value.text : nodeStr(elementNode(value as Element, originOf(override)));
    throw new ConfigError(
      'composition',
      `Could not delete from config: the value of '${key}' is ${nodeStr(found.node)} and not ${given}`,
      [`write '~${key}' to delete it whatever its value`],
      { keyPath: key },
    );
  }
  const keys = splitPath(key);
  const last = keys.pop()!;
  const parent = keys.length === 0 ? root : options.resolution.select(root, keys.join('.'));
  if (keys[0] === 'hydra' && isFixedSetting([...keys.slice(1), last])) {
    throw new ConfigError(
      'composition',
      `Error merging override '${override.text}': '${key}' is a setting of hydra, which cannot be deleted`,
      [`set it instead: '${key}=…'`],
      { keyPath: key },
    );
  }
  if (parent?.node.kind === 'map') parent.node.delete(last);
  else
    throw new ConfigError(
      'composition',
      `Could not delete '${key}': '${keys.join('.')}' is a list, and items of a list cannot be deleted`,
      [`set the list instead: '${keys.join('.')}=[…]'`],
      { keyPath: key },
    );
}

// Compares a value in an override with the one in the config like Python's ==, with interpolations in the config resolved.
function equals(given: ConfigNode, found: Frame, resolution: Resolution): boolean {
  const { node } = resolution.follow(found);
  if (given.kind === 'scalar' || node.kind === 'scalar')
    return given.kind === 'scalar' && node.kind === 'scalar' && pythonEquals(given.value, node.value);
  const at = { ...found, node } as Frame<ContainerNode>;
  if (given.kind === 'list' && node.kind === 'list') {
    return (
      given.items.length === node.items.length &&
      given.items.every((item, index) =>
        equals(item, { node: node.items[index]!, parent: at, key: String(index) }, resolution),
      )
    );
  }
  if (given.kind !== 'map' || node.kind !== 'map' || given.entries.size !== node.entries.size) return false;
  return [...given.entries].every(([id, { key, node: item }]) => {
    const entry = node.entries.get(id);
    return entry !== undefined && equals(item, { node: entry.node, parent: at, key: String(key) }, resolution);
  });
}

function add(override: Override, root: Frame<MapNode>, options: ApplyOptions): void {
  const { key, value, text } = override;
  if (!(value instanceof DictValue || Array.isArray(value))) {
    const found = existing(override, root, options);
    if (found) {
      const details = [
        `it was set in ${placeText(found.node.origin)}`,
        `to change it, write '${text.slice(1)}'`,
        `to add or change it, write '+${text}'`,
      ];
      throw new ConfigError('composition', `Could not append to config: an item is already at '${key}'`, details, {
        keyPath: key,
        ...placeOf(found.node),
      });
    }
  }
  update(override, root, options);
}

const placeOf = ({ origin }: ConfigNode) => ({ file: origin.source, line: origin.line, column: origin.column });

function extend(override: Override, value: ListExtension, root: Frame<MapNode>, options: ApplyOptions): void {
  const { key } = override;
  const found = options.resolution.select(root, key);
  if (found?.node.kind !== 'list') {
    const what = found ? nodeStr(found.node) : 'absent';
    throw new ConfigError(
      'composition',
      `Could not append to config list: the value of '${key}' is ${what}, which is not a list`,
      [`set a list: '${found ? '' : '+'}${key}=[…]'`],
      { keyPath: key },
    );
  }
  for (const item of value.items) {
    const node = elementNode(item, originOf(override));
    checkInterpolations(node, key);
    found.node.items.push(node);
  }
}

/** Sets the value at an override's key, or merges it; creates missing mappings if the override may add keys. */
function update(override: Override, root: Frame<MapNode>, options: ApplyOptions): void {
  const force = override.kind !== 'set';
  const fresh = elementNode(override.value as Element, originOf(override));
  checkInterpolations(fresh, override.key);
  const keys = splitPath(override.key);
  const last = keys.pop()!;
  let at: Frame<ContainerNode> = root;
  for (const key of keys) at = stepInto(at, key, override, force, root, options);
  if (at.node.kind === 'list') return setItem(at as Frame<ListNode>, last, fresh, override, options);
  const map = at as Frame<MapNode>;
  const old = map.node.get(last);
  const frame: Frame = { node: old ?? fresh, parent: map, key: last };
  if (!old && !force) throw unknownKey(override, map, last, root, options);
  if (old && mergeable(frame, fresh, override, force, root, options)) return;
  map.node.set(last, old ? replace(old, fresh) : fresh);
}

/** Merges a dict or list of an override into the one that the config has. Returns whether it was merged. */
function mergeable(
  frame: Frame,
  fresh: ConfigNode,
  override: Override,
  force: boolean,
  root: Frame<MapNode>,
  options: ApplyOptions,
): boolean {
  const { node } = frame;
  if (!isContainer(node) || !isContainer(fresh)) return false;
  if (node.kind !== fresh.kind) throw new KindMismatch(frame, fresh);
  if (fresh.kind === 'list') return false;
  const onNewKey = force
    ? undefined
    : (target: Frame<MapNode>, key: unknown) => {
        throw unknownKey(override, target, String(key), root, options);
      };
  mergeInto(frame as Frame<MapNode>, fresh, { env: options.env, onNewKey });
  return true;
}

function stepInto(
  at: Frame<ContainerNode>,
  key: string,
  override: Override,
  force: boolean,
  root: Frame<MapNode>,
  options: ApplyOptions,
): Frame<ContainerNode> {
  if (at.node.kind === 'list' && !isIndex(key)) throw notAnIndex(at as Frame<ListNode>, key, override);
  const next = child(at, key);
  if (next && isContainer(next.node)) return next as Frame<ContainerNode>;
  const map = new MapNode(originOf(override));
  if (at.node.kind === 'list') {
    if (!next) throw outOfRange(at as Frame<ListNode>, key, override);
    at.node.items[Number(key)] = replace(next.node, map);
  } else {
    if (!next && !force) throw unknownKey(override, at as Frame<MapNode>, key, root, options);
    // A path leads through a single value: with '+' the value is replaced by a mapping; without it, the key inside is unknown.
    if (next && !force)
      throw unknownKey(override, { node: map, parent: at, key }, splitPath(override.key).pop()!, root, options);
    at.node.set(key, next ? replace(next.node, map) : map);
  }
  return { node: map, parent: at, key };
}

function setItem(at: Frame<ListNode>, key: string, fresh: ConfigNode, override: Override, options: ApplyOptions): void {
  if (!isIndex(key)) throw notAnIndex(at, key, override);
  const old = child(at, key);
  if (!old) throw outOfRange(at, key, override);
  if (isContainer(old.node) && isContainer(fresh)) {
    if (old.node.kind !== fresh.kind) throw new KindMismatch(old, fresh);
    if (fresh.kind === 'map')
      return mergeInto(old as Frame<MapNode>, fresh, {
        env: options.env,
        onNewKey:
          override.kind === 'set'
            ? (target, name) => {
                throw unknownKey(override, target, String(name), rootOf(at), options);
              }
            : undefined,
      });
  }
  at.node.items[Number(key)] = replace(old.node, fresh);
}

function notAnIndex(at: Frame<ListNode>, key: string, { text }: Override): ConfigError {
  return new ConfigError(
    'type',
    `Error merging override '${text}': '${framePath(at)}' is a list, and '${key}' is not an index`,
    [`its items are 0 to ${at.node.items.length - 1}`],
    { keyPath: framePath(at) },
  );
}

function outOfRange(at: Frame<ListNode>, key: string, { text }: Override): ConfigError {
  const path = framePath(at);
  const size = at.node.items.length;
  const range = size === 0 ? `'${path}' is empty` : `'${path}' has items 0 to ${size - 1}`;
  return new ConfigError(
    'composition',
    `Error merging override '${text}': index ${key} is out of range in '${path}[${key}]'`,
    [range, `to append, write '${path}=extend_list(…)'`],
    { keyPath: `${path}[${key}]` },
  );
}

function unknownKey(
  override: Override,
  target: Frame<MapNode>,
  key: string,
  root: Frame,
  options: ApplyOptions,
): ConfigError {
  const inside = framePath(target);
  const path = inside === '' ? key : `${inside}.${key}`;
  const known = [...target.node.entries.values()].map((entry) => String(entry.key));
  const near = nearestPath(override.key, root, options);
  const details = ['in the command line'];
  if (near) details.push(`did you mean '${near}'?`);
  else if (known.length > 0)
    details.push(
      `known keys ${inside === '' ? 'here' : `in '${inside}'`}: ${known.filter((name) => inside !== '' || name !== 'hydra').join(', ')}`,
    );
  details.push(`to add a key that no config declares, write '+${override.text.replace(/^\+*/, '')}'`);
  const what =
    path === override.key
      ? `Could not override '${override.key}': no such key`
      : `Could not override '${override.key}': key '${path}' does not exist`;
  return new ConfigError('unknown-key', what, details, { keyPath: path });
}

/** Returns the path with each mistyped part replaced by the most similar existing key; undefined if a part has none. */
function nearestPath(key: string, root: Frame, { resolution, flatNames }: ApplyOptions): string | undefined {
  const path: string[] = [];
  let at: Frame = root;
  for (const part of splitPath(key)) {
    if (at.node.kind === 'list' && isIndex(part)) path.push(part);
    else if (at.node.kind !== 'map') return undefined;
    else if (at.node.entries.has(keyId(part))) path.push(part);
    else {
      const own = [...at.node.entries.values()].map((entry) => String(entry.key));
      const flat = part === key ? flatNames?.() : undefined;
      const near = nearest(part, [...own, ...(flat?.keys() ?? [])]);
      if (near === undefined) return near;
      const named = flat?.get(near);
      if (named !== undefined) return named;
      path.push(near);
    }
    try {
      const next = resolution.select(root, path.join('.'));
      if (!next) return undefined;
      at = next;
    } catch (error) {
      if (error instanceof ConfigError) return undefined;
      throw error;
    }
  }
  return path.join('.');
}
