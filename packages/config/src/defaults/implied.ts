// Adds groups that a primary config omits from its defaults list, before the config's own keys.
import { toPlain, ListNode, MapNode, ScalarNode, type Origin, type PlainValue } from '../node.js';
import type { LoadedConfig, Repository } from '../sources/repository.js';
import { isSelf, parseDefaultsList } from './item.js';

/** A primary config, as it is before the program adds groups to its defaults list. */
export interface PrimaryConfig {
  readonly name: string;
  readonly configs: readonly string[];
  /** The groups in its defaults list, including those of `override` items. */
  readonly groups: readonly string[];
  /** Returns the value of one of its top-level keys, with interpolations unresolved; undefined if it has none. */
  value(key: string): PlainValue | undefined;
}

/** Returns an option for each group to add. Options that do not exist are ignored; none of the groups may be in the list already. */
export type ImpliedDefaults = (primary: PrimaryConfig) => Readonly<Record<string, string>>;

/** Adds the program's implied groups to the defaults list of the primary config, for this and later compositions. */
export function addImpliedDefaults(configName: string, repository: Repository, implied: ImpliedDefaults): void {
  const loaded = repository.load(configName);
  if (loaded === undefined || loaded.body.kind !== 'map' || loaded.defaults?.kind !== 'list') return;
  const added = Object.entries(implied(primaryOf(configName, loaded)));
  if (added.length === 0) return;
  const origin = { source: loaded.defaults.origin.source };
  const self = parseDefaultsList(loaded.defaults, configName).findIndex(isSelf);
  const list = new ListNode(loaded.defaults.origin);
  list.items.push(...loaded.defaults.items);
  list.items.splice(
    self === -1 ? list.items.length : self,
    0,
    ...added.map(([group, option]) => item(group, option, origin)),
  );
  repository.replace(configName, { ...loaded, defaults: list });
}

function primaryOf(name: string, { body, defaults }: LoadedConfig): PrimaryConfig {
  const items = parseDefaultsList(defaults!, name);
  const root = toPlain(body) as Record<string, PlainValue>;
  return {
    name,
    configs: items.flatMap((one) => (one.kind === 'config' && !isSelf(one) ? [one.path] : [])),
    groups: items.flatMap((one) => (one.kind === 'group' ? [one.group] : [])),
    value: (key) => root[key],
  };
}

function item(group: string, option: string, origin: Origin): MapNode {
  const map = new MapNode(origin);
  map.set(`optional ${group}`, new ScalarNode(option, origin));
  return map;
}
