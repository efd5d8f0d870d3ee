// Parses the items of a Hydra defaults list, and finds the config, package and name that follow from an item's position.
// Source: Hydra's documentation ("The Defaults List", "Packages"), version 1.3.
import { ConfigError, placeText } from '../config-error.js';
import type { ConfigNode, Origin } from '../node.js';
import { pythonTypeName, pythonStr } from '../python-text.js';

export type OptionValue = string | null | string[];

interface ItemBase {
  /** The package that the item itself gives after '@'; '' for `_here_`. */
  package?: string;
  /** The package in the `# @package` header of the config that the item names. */
  header?: string;
  /** The group of the config whose list contains the item. */
  baseGroup: string;
  /** The package of the config whose list contains the item. */
  parentPackage: string;
  readonly origin: Origin;
  optional: boolean;
  /** True if the item was deleted on the command line, or is optional and its config missing. */
  deleted: boolean;
}

/** An item in the form `name`, `dir/name`, `/abs/name` or `_self_`. */
interface ConfigItem extends ItemBase {
  readonly kind: 'config';
  path: string;
  readonly primary: boolean;
}

/** An item in the form `group: option`. */
export interface GroupItem extends ItemBase {
  readonly kind: 'group';
  readonly group: string;
  value: OptionValue;
  readonly override: boolean;
  /** Whether the item was added by `+group=option` on the command line. */
  readonly appended: boolean;
}

export type DefaultItem = ConfigItem | GroupItem;

const place = { baseGroup: '', parentPackage: '', optional: false, deleted: false };

export function configItem(
  path: string,
  origin: Origin,
  { primary = false, ...rest }: Partial<ConfigItem> = {},
): ConfigItem {
  return { ...place, ...rest, kind: 'config', path, primary, origin };
}

export function groupItem(group: string, value: OptionValue, origin: Origin, rest: Partial<GroupItem> = {}): GroupItem {
  return {
    ...place,
    override: false,
    appended: false,
    ...rest,
    package: here(rest.package),
    kind: 'group',
    group,
    value,
    origin,
  };
}

const here = (target: string | undefined) => (target === '_here_' ? '' : target);

/** Returns new objects on each call. `configPath`: for error messages. */
export function parseDefaultsList(node: ConfigNode, configPath: string): DefaultItem[] {
  if (node.kind !== 'list') {
    throw invalid(
      `The defaults of '${configPath}' must be a list, not ${pythonTypeName(node)}`,
      node.origin,
      `write '- group: option' lines below 'defaults:'`,
    );
  }
  return node.items.map((item) => parseItem(item, configPath));
}

function invalid(summary: string, origin: Origin, remedy: string): ConfigError {
  return new ConfigError('invalid-default', summary, [`in ${placeText(origin)}`, remedy], {
    file: origin.source,
    line: origin.line,
    column: origin.column,
  });
}

function parseItem(node: ConfigNode, configPath: string): DefaultItem {
  const { origin } = node;
  const forms = `an item is 'name' or 'group: option'`;
  if (node.kind === 'scalar' && typeof node.value === 'string') {
    const { name, target } = splitPackage(node.value);
    if (name === '_self_' && target !== undefined)
      throw invalid(
        `'_self_' takes no package, but '${node.value}' is in the defaults of '${configPath}'`,
        origin,
        `give the config's package in its header: # @package ${target}`,
      );
    return configItem(name, origin, { package: here(target) });
  }
  if (node.kind !== 'map')
    throw invalid(`A defaults item of type ${pythonTypeName(node)} in '${configPath}'`, origin, forms);
  const entries = [...node.entries.values()];
  if (entries.length > 1) {
    const keys = entries.map(({ key }) => `'${pythonStr(key)}'`).join(', ');
    throw invalid(`Too many keys in one defaults item of '${configPath}': ${keys}`, origin, `begin each with '- '`);
  }
  const [entry] = entries;
  if (!entry || typeof entry.key !== 'string')
    throw invalid(`A defaults item of '${configPath}' names no group`, origin, forms);
  return parseGroupItem(entry.key, entry.node, configPath);
}

function parseGroupItem(key: string, node: ConfigNode, configPath: string): GroupItem {
  const { name, target } = splitPackage(key);
  const words = name.split(' ');
  const group = words.pop()!;
  if (group === '')
    throw invalid(`A defaults item of '${configPath}' names no group`, node.origin, `write 'group: option'`);
  const value = parseOption(node, group, configPath);
  return groupItem(group, value, node.origin, {
    package: target,
    optional: words.includes('optional'),
    override: words.includes('override'),
  });
}

function parseOption(node: ConfigNode, group: string, configPath: string): OptionValue {
  const kinds = `an option is a name, null, or a list of names; quote a name that looks like a number`;
  const fail = (bad: ConfigNode) =>
    invalid(
      `Group '${group}' in the defaults of '${configPath}' has an option of type ${pythonTypeName(bad)}`,
      bad.origin,
      kinds,
    );
  if (node.kind === 'list') {
    return node.items.map((item) => {
      if (item.kind !== 'scalar' || typeof item.value !== 'string') throw fail(item);
      return item.value;
    });
  }
  if (node.kind !== 'scalar' || (node.value !== null && typeof node.value !== 'string')) throw fail(node);
  return node.value;
}

/** Splits `name@package:renamed`; the last part has no meaning since Hydra 1.1 and is dropped. */
function splitPackage(text: string): { name: string; target?: string } {
  const at = text.indexOf('@');
  if (at < 0) return { name: text };
  return { name: text.slice(0, at), target: text.slice(at + 1).replace(/:.*$/s, '') };
}

/** Returns whether an item is `_self_`, even if it is (by mistake) the option of a group. */
export const isSelf = (item: DefaultItem) => (item.kind === 'config' ? item.path : item.value) === '_self_';

export function refuseSelfAsOption(item: DefaultItem, configPath: string): void {
  if (item.kind === 'group')
    throw invalid(
      `'_self_' cannot be the option of group '${item.group}' in '${configPath}'`,
      item.origin,
      `write '- _self_' for this config's own body`,
    );
}

export const isOverride = (item: DefaultItem): item is GroupItem => item.kind === 'group' && item.override;

/** Sets the config that contains an item, to which relative names and packages refer. */
export function setParent(item: DefaultItem, baseGroup: string, parentPackage: string): void {
  item.baseGroup = baseGroup;
  item.parentPackage = parentPackage;
  if (item.package?.includes('_group_'))
    item.package = `_global_.${item.package.replaceAll('_group_', groupPath(item).replaceAll('/', '.'))}`;
}

const withoutSlash = (path: string) => (path.startsWith('/') ? path.slice(1) : path);

function within(base: string, path: string): string {
  if (path.startsWith('/')) return path.slice(1);
  if (base === '') return path;
  return path === '' ? base : `${base}/${path}`;
}

const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

/** Returns the group of an item's config as an absolute path in the config folders. */
export function groupPath(item: DefaultItem): string {
  if (item.kind === 'group') return within(item.baseGroup, item.group);
  return item.path.startsWith('/') ? folderOf(item.path.slice(1)) : within(item.baseGroup, folderOf(item.path));
}

export function configPath(item: DefaultItem): string {
  return item.kind === 'group' ? `${groupPath(item)}/${item.value as string}` : within(item.baseGroup, item.path);
}

/** From `@package`, else the header, else the group. Relative to the parent's package unless it begins with `_global_`. */
export function finalPackage(item: DefaultItem, useHeader = true): string {
  const written = item.package ?? (useHeader ? item.header : undefined);
  const own = written ?? withoutSlash(item.kind === 'group' ? item.group : folderOf(item.path)).replaceAll('/', '.');
  const joined = item.parentPackage === '' ? own : own === '' ? item.parentPackage : `${item.parentPackage}.${own}`;
  const global = joined.lastIndexOf('_global_');
  return global < 0 ? joined : joined.slice(global + '_global_'.length + 1);
}

/** Sets an item's package from the `# @package` header of its config, which is absolute. */
export function setHeader(item: DefaultItem, header: string | undefined): void {
  if (header === undefined) return;
  item.header = header === '_global_' || header.startsWith('_global_.') ? header : `_global_.${header}`;
}

/**
 * The key of an override that changes the option: the group, and `@package` if it differs from the group's own. The package in
 * the config's header is ignored.
 */
export function overrideKey(item: GroupItem): string {
  const group = groupPath(item);
  const target = finalPackage(item, false);
  return target === group.replaceAll('/', '.') ? group : `${group}@${target === '' ? '_global_' : target}`;
}
