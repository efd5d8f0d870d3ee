// Builds the defaults list of a program: lists are expanded in place, depth first. They are processed from end to start, so that
// of two `override` items for one group the later one counts. Source: Hydra's documentation ("The Defaults List") and its
// recorded outputs (test/fixtures), version 1.3.
import { ConfigError, placeText } from '../config-error.js';
import { rootFrame } from '../key-path.js';
import { nearest } from '../nearest.js';
import { MapNode, ScalarNode, isMissing } from '../node.js';
import { Resolution } from '../interpolation/resolve.js';
import type { LoadedConfig, Repository } from '../sources/repository.js';
import { Choices } from './choices.js';
import {
  configItem,
  configPath,
  finalPackage,
  groupPath,
  isOverride,
  isSelf,
  overrideKey,
  parseDefaultsList,
  refuseSelfAsOption,
  setHeader,
  setParent,
  type DefaultItem,
  type GroupItem,
} from './item.js';

/** One config of the final defaults list, in which configs are in the order in which they are merged. */
export interface FinalDefault {
  readonly path: string;
  readonly package: string;
  /** The config whose list contains this one; null for the roots, the built-in hydra configs and the primary config. */
  readonly parent: string | null;
  /** Whether this entry is a config's `_self_`: the config's own keys, without those of the configs in its defaults list. */
  readonly isSelf: boolean;
  readonly primary: boolean;
}

export interface TreeNode {
  readonly item: DefaultItem;
  readonly parent?: TreeNode;
  children?: TreeNode[];
  isSelf?: boolean;
}

/** An item whose option is an interpolation of other groups' choices, and which is expanded only when these choices are made. */
interface WaitingItem {
  readonly node: TreeNode;
  /** The length of the defaults list that contains the item. */
  readonly listSize: number;
}

interface DefaultsOptions {
  readonly repository: Repository;
  readonly choices: Choices;
  /** Whether the option of a group may stay `???`, as in the base config of a sweep, whose jobs choose the option. */
  readonly skipMissing: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
}

export interface DefaultsList {
  readonly defaults: FinalDefault[];
  readonly roots: readonly TreeNode[];
}

const root = { source: 'the program' };
/** A config may include itself in another package, if an override then chooses another option and so ends the recursion. */
const maximumRepeats = 20;

/** Builds the list of configs to merge. `configName`: null for a program without a primary config. */
export function buildDefaultsList(configName: string | null, options: DefaultsOptions): DefaultsList {
  const builder = new Builder(options);
  const primary: TreeNode = { item: configItem(configName ?? '', root, { primary: true }) };
  const hydra: TreeNode = { item: configItem('hydra/config', root) };
  if (configName === null) builder.expandWithoutConfig(primary);
  else builder.expand(primary, false);
  builder.expand(hydra, false);
  const defaults = [...flatten(hydra), ...flatten(primary)].filter(({ path }) => path !== '');
  ensureNoDuplicates([...leaves(hydra), ...leaves(primary)]);
  options.choices.ensureAllUsed();
  return { defaults, roots: [hydra, primary] };
}

class Builder {
  private readonly open = new Map<string, number>();

  constructor(private readonly options: DefaultsOptions) {}

  /** Expands the tree without a primary config; it contains only configs that the command line appends. */
  expandWithoutConfig(node: TreeNode): void {
    if (this.options.choices.appended.length > 0)
      this.expandList(node, [configItem('_self_', root), ...this.options.choices.appended], false, []);
  }

  /**
   * Expands the defaults list of a config, and the lists of the configs in it.
   *
   * @param waiting items of the enclosing lists with interpolated options; items that refer to choices not made yet are added
   */
  expand(node: TreeNode, interpolated: boolean, waiting: WaitingItem[] = []): void {
    const { repository, choices, skipMissing } = this.options;
    const { item } = node;
    const path = configPath(item);
    const isPrimary = item.kind === 'config' && item.primary;
    const hasName = item.kind === 'config' || item.value !== null;
    const missing = hasName && path.endsWith('???');
    const loaded = hasName && !missing ? repository.load(path) : undefined;
    if (isPrimary && !loaded) throw this.notFound(node);
    setHeader(item, loaded?.package);
    if (choices.isDeleted(item)) {
      item.deleted = true;
      return;
    }
    choices.learn(item);
    if (!hasName) return;
    if (missing) {
      if (!skipMissing) throw this.mustChoose(item);
      return;
    }
    if (!loaded) {
      if (!item.optional) throw this.notFound(node);
      item.deleted = true;
      return;
    }
    const list = loaded.defaults ? parseDefaultsList(loaded.defaults, loaded.path) : [];
    if (list.length > 0 || (isPrimary && choices.appended.length > 0)) this.addSelf(list, item, loaded);
    if (isPrimary) list.push(...choices.appended);
    this.enter(path, node);
    this.expandList(node, list, interpolated, waiting);
    this.leave(path);
  }

  private enter(path: string, node: TreeNode): void {
    const repeats = (this.open.get(path) ?? 0) + 1;
    if (repeats > maximumRepeats) throw cycle(node);
    this.open.set(path, repeats);
  }

  private leave(path: string): void {
    this.open.set(path, this.open.get(path)! - 1);
  }

  private addSelf(list: DefaultItem[], item: DefaultItem, loaded: LoadedConfig): void {
    const selves = list.filter(isSelf);
    if (selves.length > 1) {
      const { origin } = selves[1]!;
      throw new ConfigError(
        'composition',
        `Duplicate '_self_' in the defaults of '${configPath(item)}'`,
        [`in ${placeText(origin)}`, 'keep the one where this config is to be merged'],
        { file: origin.source, line: origin.line, column: origin.column },
      );
    }
    const others = list.some((other) => !isOverride(other));
    if (selves.length > 0 || (!others && list.length > 0)) return;
    if (item.kind === 'config' && item.primary && others && hasContent(loaded)) this.warnMissingSelf(item, loaded);
    list.push(configItem('_self_', item.origin));
  }

  private warnMissingSelf(item: DefaultItem, loaded: LoadedConfig): void {
    const path = configPath(item);
    const message = `In '${path}': the defaults list has no '_self_', so this config is merged last`;
    const remedy = `add '- _self_' where it is to be merged`;
    if (this.options.env.SELF_WARNING_AS_ERROR === '1')
      throw new ConfigError('composition', message, [`in ${loaded.file}`, remedy], { file: loaded.file });
    this.options.warn(`${message}; ${remedy}`);
  }

  private expandList(
    node: TreeNode,
    list: readonly DefaultItem[],
    interpolated: boolean,
    waiting: WaitingItem[],
  ): void {
    const { item } = node;
    const base = groupPath(item);
    const target = finalPackage(item);
    for (const child of list) {
      if (isSelf(child)) refuseSelfAsOption(child, configPath(item));
      else setParent(child, base, target);
    }
    this.collectOverrides(list, item, interpolated);
    const children: TreeNode[] = [];
    const deferred: WaitingItem[] = [];
    for (const child of [...list].reverse()) {
      if (isSelf(child)) children.push({ item: child, parent: node, isSelf: true });
      else if (!isOverride(child)) this.expandChild(node, child, interpolated, children, deferred, list.length);
    }
    // Interpolated options can refer to any choice of this list, so they are expanded last, or wait for the enclosing list, which
    // Hydra 1.3 refuses.
    const isOutermost = node.parent === undefined;
    while (deferred.length > 0) {
      const next = deferred.shift()!;
      if (isOutermost || this.isComputable(next.node.item)) {
        this.interpolate(next.node.item, next.listSize);
        this.expand(next.node, true, deferred);
      } else waiting.push(next);
    }
    if (children.length > 0) node.children = children.reverse();
  }

  private expandChild(
    parent: TreeNode,
    item: DefaultItem,
    interpolated: boolean,
    children: TreeNode[],
    deferred: WaitingItem[],
    listSize: number,
  ): void {
    if (item.kind === 'group') this.options.choices.apply(item);
    if (item.kind === 'group' && Array.isArray(item.value)) {
      for (const option of [...item.value].reverse()) {
        if (option.includes('${')) {
          throw new ConfigError(
            'composition',
            `In '${configPath(parent.item)}': an interpolation is not allowed in a list of options ('${option}' of group '${item.group}')`,
            [`in ${placeText(item.origin)}`, 'give each its own item'],
            { file: item.origin.source, line: item.origin.line, column: item.origin.column },
          );
        }
        const { baseGroup, parentPackage, optional, origin } = item;
        const child: TreeNode = {
          item: configItem(`${item.group}/${option}`, origin, {
            package: item.package,
            optional,
            baseGroup,
            parentPackage,
          }),
          parent,
        };
        this.expand(child, interpolated, deferred);
        children.push(child);
      }
      return;
    }
    const child: TreeNode = { item, parent };
    children.push(child);
    const name = item.kind === 'group' ? item.value : item.path;
    if (typeof name === 'string' && name.includes('${')) deferred.push({ node: child, listSize });
    else this.expand(child, interpolated, deferred);
  }

  // `override` items must come last, and have no effect on a choice that is itself computed from other choices.
  private collectOverrides(list: readonly DefaultItem[], parent: DefaultItem, interpolated: boolean): void {
    let last: GroupItem | undefined;
    for (const item of list) {
      if (isSelf(item)) continue;
      const path = configPath(parent);
      const { source: file, line, column } = item.origin;
      if (!isOverride(item)) {
        if (!last || isAppended(item)) continue;
        const name = describeItem(item);
        throw new ConfigError(
          'composition',
          `In '${path}': override '${overrideKey(last)} : ${String(last.value)}' comes before '${name}'`,
          [`in ${placeText(last.origin)}`, 'put overrides at the end of the defaults list'],
          { file, line, column },
        );
      }
      last = item;
      if (interpolated) {
        throw new ConfigError(
          'composition',
          `In '${path}': 'override ${overrideKey(item)}: ${String(item.value)}' is in a config whose choice is an interpolation`,
          [`in ${placeText(item.origin)}`, 'such a config may have defaults, but no overrides'],
          { file, line, column },
        );
      }
      this.options.choices.addOverride(item, path);
    }
  }

  /** Returns whether all choices to which an item's interpolated option refers have been made. */
  private isComputable(item: DefaultItem): boolean {
    const names = [...writtenOption(item).matchAll(/\$\{([^${}:]+)\}/g)].map((match) => match[1]!.trim());
    return names.every((name) => this.options.choices.known.has(name));
  }

  private interpolate(item: DefaultItem, listSize: number): void {
    const written = writtenOption(item);
    const { choices, env } = this.options;
    const map = new MapNode(item.origin);
    for (const [key, value] of choices.known) map.set(key, new ScalarNode(value, item.origin));
    const text = new ScalarNode(written, item.origin);
    const resolution = new Resolution({ env, now: new Date(0) });
    const fail = (details: string[], cause?: unknown) => {
      const known = [...choices.known.keys()].filter((key) => !key.startsWith('hydra/'));
      const names = known.length > 0 ? `possible keys: ${known.join(', ')}` : `no choice is known here`;
      const { source: file, line, column } = item.origin;
      return new ConfigError(
        'composition',
        `Error resolving interpolation '${written}' in a defaults list`,
        [`in ${placeText(item.origin)}`, ...details, names],
        { file, line, column, cause },
      );
    };
    if (/\$\{defaults\./.test(written)) throw fail([`'\${defaults.…}' is no longer possible; name the group instead`]);
    let resolved: unknown;
    try {
      const { node } = resolution.follow({ node: text, parent: rootFrame(map), key: String(listSize) });
      resolved = node.kind === 'scalar' ? node.value : undefined;
    } catch (error) {
      throw fail(error instanceof ConfigError ? [error.summary] : [], error);
    }
    if (typeof resolved !== 'string') throw fail(['it must give the name of an option']);
    if (item.kind === 'group') item.value = resolved;
    else item.path = resolved;
  }

  private mustChoose(item: DefaultItem): ConfigError {
    const { source: file, line, column } = item.origin;
    const where = `in ${placeText(item.origin)}`;
    if (item.kind === 'config')
      return new ConfigError(
        'invalid-default',
        `'${item.path}' is not allowed alone in a defaults list: only a group's option can be left open`,
        [where, `write 'group: ???'`],
        { file, line, column },
      );
    const key = overrideKey(item);
    const options = this.options.repository.options(groupPath(item));
    return new ConfigError(
      'composition',
      `You must specify '${key}', for example ${key}=${options[0] ?? '<OPTION>'}`,
      [`available options: ${options.join(', ') || 'none'}`, where],
      { keyPath: key, file, line, column },
    );
  }

  private notFound({ item, parent }: TreeNode): ConfigError {
    const { repository } = this.options;
    const path = configPath(item);
    const searched = ['config search path:', ...repository.searchPathLines().map((line) => `  ${line}`)];
    if (item.kind === 'config' && item.primary) {
      const known = repository.options('');
      const near = nearest(path, known);
      const available = known.length > 0 ? [`available configs: ${known.join(', ')}`] : [];
      return new ConfigError(
        'missing-config',
        `Cannot find primary config '${path}'`,
        [...(near ? [`did you mean '${near}'?`] : []), ...available, ...searched],
        { keyPath: path },
      );
    }
    const where = parent ? `In '${configPath(parent.item)}': ` : '';
    const details: string[] = [
      item.origin.line === undefined && item.origin.source.startsWith('command line')
        ? `from the ${item.origin.source}`
        : `in ${placeText(item.origin)}`,
    ];
    const group = groupPath(item);
    const options = repository.options(group);
    const near = nearest(path.slice(group === '' ? 0 : group.length + 1), options);
    if (near) details.push(`did you mean '${near}'?`);
    if (item.kind === 'group') {
      if (options.length > 0) details.push(`available options in '${group}': ${options.join(', ')}`);
      else if (!repository.groupExists(group)) details.push(`there is no group '${group}'`);
    }
    const { source: file, line, column } = item.origin;
    return new ConfigError('missing-config', `${where}Could not find '${path}'`, [...details, ...searched], {
      keyPath: item.kind === 'group' ? overrideKey(item) : path,
      file,
      line,
      column,
    });
  }
}

const writtenOption = (item: DefaultItem) => (item.kind === 'group' ? (item.value as string) : item.path);

const isAppended = (item: DefaultItem) => item.kind === 'group' && item.appended;

const describeItem = (item: DefaultItem) =>
  item.kind === 'group' ? `${overrideKey(item)}: ${String(item.value)}` : item.path;

function hasContent({ body }: LoadedConfig): boolean {
  return body.kind === 'map' && [...body.entries.values()].some(({ node }) => !isMissing(node));
}

function cycle(node: TreeNode): ConfigError {
  const path = configPath(node.item);
  const ring = [path];
  for (let at = node.parent; at; at = at.parent) {
    ring.unshift(configPath(at.item));
    if (ring[0] === path) break;
  }
  const { source: file, line, column } = node.item.origin;
  return new ConfigError(
    'cycle',
    `Defaults list cycle: ${ring.join(' -> ')}`,
    [`in ${placeText(node.item.origin)}`, 'remove one of these from the defaults list of the config before it'],
    { file, line, column },
  );
}

/** Yields the leaves of the tree in merge order: `_self_` items and configs without a list. */
function* leaves(node: TreeNode): Generator<TreeNode> {
  if (!node.children) yield node;
  else for (const child of node.children) yield* leaves(child);
}

function flatten(node: TreeNode): FinalDefault[] {
  const out: FinalDefault[] = [];
  for (const leaf of leaves(node)) {
    const { item } = leaf;
    if (item.deleted || (item.kind === 'group' && (item.value === null || item.value === '???'))) continue;
    const owner = leaf.isSelf ? leaf.parent! : leaf;
    out.push({
      path: configPath(owner.item),
      package: finalPackage(owner.item),
      parent: owner.parent ? configPath(owner.parent.item) : null,
      isSelf: leaf.isSelf === true,
      primary: owner.item.kind === 'config' && owner.item.primary,
    });
  }
  return out;
}

function ensureNoDuplicates(list: readonly TreeNode[]): void {
  const seen = new Set<string>();
  for (const { item } of list) {
    if (item.kind !== 'group' || item.deleted || item.value === null || item.value === '???') continue;
    const key = overrideKey(item);
    if (seen.has(key)) {
      const { source: file, line, column } = item.origin;
      throw new ConfigError(
        'composition',
        `'${key}' appears more than once in the final defaults list`,
        [`in ${placeText(item.origin)}`, `remove one of them, or write 'override ${key}: …' to change the choice`],
        { keyPath: key, file, line, column },
      );
    }
    seen.add(key);
  }
}
