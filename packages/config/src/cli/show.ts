// What can be printed instead of running: parts of the config, the help texts, and tables about the composition.
import type { Composition } from '../compose.js';
import { configPath, overrideKey } from '../defaults/item.js';
import type { FinalDefault, TreeNode } from '../defaults/tree.js';
import { rootFrame } from '../key-path.js';
import { MapNode, isContainer, isMissing, isNull } from '../node.js';
import { nodeStr } from '../python-text.js';
import type { Repository } from '../sources/repository.js';
import { placeText } from '../config-error.js';
import { writeYaml } from '../yaml/write.js';
import { flagsHelp, type Flags } from './flags.js';
import { hydraOnly } from './run-job.js';

/** The text of `--cfg`; undefined where `--package` names nothing. */
export function configText(composition: Composition, { cfg, package: target, resolve }: Flags): string | undefined {
  const root = cfg === 'all' ? composition.full : cfg === 'hydra' ? hydraOnly(composition, ['hydra_help', 'help']) : composition.root;
  const resolution = composition.resolution();
  const frame = rootFrame(root);
  if (target === undefined || target === '_global_') {
    return writeYaml(resolve ? resolution.deep(frame, { keepMissing: true }) : root);
  }
  // Interpolations in the hydra node may name keys of the job, so they are followed in the whole config.
  const whole = cfg === 'hydra' && (target === 'hydra' || target.startsWith('hydra.')) ? rootFrame(composition.full) : frame;
  const found = resolution.select(whole, target);
  if (!found || isNull(found.node) || isMissing(found.node)) return undefined;
  if (!isContainer(found.node)) return `${nodeStr(found.node)}\n`;
  return `# @package ${target}\n${writeYaml(resolve ? resolution.deep(found, { keepMissing: true }) : found.node)}`;
}

/** `group: option, option` lines. */
function groupLines(repository: Repository, predicate: (group: string) => boolean): string {
  return allGroups(repository, '')
    .filter(predicate)
    .sort()
    .map((group) => `${group}: ${repository.options(group).join(', ')}\n`)
    .join('');
}

function allGroups(repository: Repository, parent: string): string[] {
  return repository.groups(parent).flatMap((name) => {
    const group = parent === '' ? name : `${parent}/${name}`;
    const below = allGroups(repository, group);
    return repository.options(group).length > 0 ? [group, ...below] : below;
  });
}

/** A help text: its template with `$CONFIG`, `$APP_CONFIG_GROUPS`, `$HYDRA_CONFIG_GROUPS` and `$FLAGS_HELP` filled in. */
export function helpText(composition: Composition, template: string, config: MapNode): string {
  const isHydra = (group: string) => group === 'hydra' || group.startsWith('hydra/');
  const values: Record<string, () => string> = {
    CONFIG: () => writeYaml(config),
    APP_CONFIG_GROUPS: () => groupLines(composition.repository, (group) => !isHydra(group)),
    HYDRA_CONFIG_GROUPS: () => groupLines(composition.repository, isHydra),
    FLAGS_HELP: flagsHelp,
  };
  return `${template.replace(/\$\$|\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) => (whole === '$$' ? '$' : (values[(braced ?? bare)!]?.() ?? whole)))}\n`;
}

export function appHelp(composition: Composition, resolve: boolean): string {
  const config = resolve ? composition.resolveNodes({ keepMissing: true }) : composition.root;
  return helpText(composition, String(composition.setting('hydra.help.template')), config);
}

export function hydraHelp(composition: Composition): string {
  return helpText(composition, String(composition.setting('hydra.hydra_help.template')), hydraOnly(composition, ['hydra_help', 'help']));
}

const heading = (text: string, filler: string) => `${text}\n${filler.repeat(text.length)}\n`;

/** A table with padded columns between two rules. */
function table(rows: readonly string[][], trailing = ''): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  const header = lines[0]! + trailing;
  const rule = '-'.repeat(header.length);
  return [header, rule, ...lines.slice(1), rule].map((line) => `${line}\n`).join('');
}

function searchPathInfo({ repository }: Composition): string {
  const rows = repository.sources.map(({ provider, scheme, path }) => [provider, `${scheme}://${path}`]);
  return `\n${heading('Config search path', '*')}${table([['Provider', 'Search path'], ...rows])}`;
}

function defaultsInfo({ defaultsList }: Composition): string {
  const row = ({ path, package: target, isSelf, parent }: FinalDefault) => [path, target, isSelf ? 'True' : 'False', parent ?? '<root>'];
  return `\n${heading('Defaults List', '*')}${table([['Config path', 'Package', '_self_', 'Parent'], ...defaultsList.defaults.map(row)], ' ')}`;
}

function treeInfo({ defaultsList }: Composition): string {
  const lines: string[] = ['<root>:'];
  const name = ({ item, isSelf }: TreeNode) => {
    if (isSelf) return '_self_';
    return item.kind === 'group' ? `${overrideKey(item)}: ${String(item.value)}` : configPath(item);
  };
  const walk = (node: TreeNode, depth: number) => {
    lines.push(`${'  '.repeat(depth)}${name(node)}${node.children ? ':' : ''}`);
    for (const child of node.children ?? []) walk(child, depth + 1);
  };
  for (const root of defaultsList.roots) if (configPath(root.item) !== '') walk(root, 1);
  return `\n${heading('Defaults Tree', '*')}${lines.join('\n')}\n`;
}

const pluginsInfo = () => `${heading('Parts', '*')}\tlauncher: basic\n\tsweeper: basic\n\tcompletion: bash, fish, zsh\n\tconfig sources: files, built-in settings\n`;

/** Where a value came from, newest first. @param keys what to look up */
function originInfo(composition: Composition, keys: readonly string[]): string {
  return keys
    .map((key) => {
      const records = composition.origin(key);
      if (records.length === 0) return `${key}: no such key\n`;
      const lines = records.map(({ value, ...place }, index) => `  ${index === 0 ? '  ' : '← '}${JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item))}  ${placeText(place)}`);
      return `${key}\n${lines.join('\n')}\n`;
    })
    .join('');
}

/** The text of `--info TOPIC`. */
export function infoText(composition: Composition, topic: NonNullable<Flags['info']>, keys: readonly string[]): string {
  const configInfo = () => `${searchPathInfo(composition)}${treeInfo(composition)}${defaultsInfo(composition)}${heading('Config', '*')}${composition.yaml}\n`;
  switch (topic) {
    case 'all':
      return `${pluginsInfo()}${configInfo()}`;
    case 'config':
      return configInfo();
    case 'defaults':
      return defaultsInfo(composition);
    case 'defaults-tree':
      return treeInfo(composition);
    case 'plugins':
      return pluginsInfo();
    case 'searchpath':
      return searchPathInfo(composition);
    case 'origin':
      return originInfo(composition, keys);
  }
}
