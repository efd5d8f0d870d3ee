// Implements `--info`: tables of how the config was composed, and the origin of a value.
import { compose } from '../compose.js';
import type { Composition } from '../composition.js';
import { ConfigError, placeText } from '../config-error.js';
import { configPath, overrideKey } from '../defaults/item.js';
import type { FinalDefault, TreeNode } from '../defaults/tree.js';
import { rootFrame } from '../key-path.js';
import { nearest } from '../nearest.js';
import { isContainer, isInterpolation, isMissing, type ConfigNode } from '../node.js';
import { origins, nodeAt } from '../provenance.js';
import { nodeStr } from '../python-text.js';
import { completionShells } from './completion-scripts.js';
import { prepared } from './prepare.js';
import { composeOptions, type Session } from './session.js';

export async function showInfo(session: Session): Promise<number> {
  const { flags, stdout, cwd } = session;
  const composition = await prepared(session, compose(composeOptions(session)), 'info');
  const topics: Record<string, () => string> = {
    searchpath: () => searchPathInfo(composition),
    defaults: () => defaultsInfo(composition),
    'defaults-tree': () => treeInfo(composition),
    plugins: pluginsInfo,
    config: () => configInfo(composition),
    all: () => pluginsInfo() + configInfo(composition),
    origin: () => originInfo(composition, flags.originKey!, cwd),
  };
  stdout.write(topics[flags.info!]!());
  return 0;
}

const heading = (text: string) => `\n${text}\n${'*'.repeat(text.length)}\n`;

/** Writes a table with columns of equal width, between two horizontal lines. */
function table(rows: readonly string[][], trailing = ''): string {
  const widths = rows[0]!.map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]!.length), 0));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  const header = lines[0]! + trailing;
  const rule = '-'.repeat(header.length);
  return [header, rule, ...lines.slice(1), rule].map((line) => `${line}\n`).join('');
}

function searchPathInfo({ repository }: Composition): string {
  const rows = repository.sources.map(({ provider, scheme, path }) => [provider, `${scheme}://${path}`]);
  return heading('Config search path') + table([['Provider', 'Search path'], ...rows]);
}

function defaultsInfo({ defaultsList }: Composition): string {
  const row = ({ path, package: target, isSelf, parent }: FinalDefault) => [
    path,
    target,
    isSelf ? 'True' : 'False',
    parent ?? '<root>',
  ];
  return (
    heading('Defaults List') +
    table([['Config path', 'Package', '_self_', 'Parent'], ...defaultsList.defaults.map(row)], ' ')
  );
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
  return `${heading('Defaults Tree')}${lines.join('\n')}\n`;
}

const pluginsInfo = () =>
  `${heading('Parts')}\tlauncher: basic\n\tsweeper: basic\n\tcompletion: ${completionShells.join(', ')}\n\tconfig sources: files, built-in settings\n`;

const configInfo = (composition: Composition) =>
  `${searchPathInfo(composition)}${treeInfo(composition)}${defaultsInfo(composition)}${heading('Config').trimStart()}${composition.yaml}\n`;

/** Writes the value of a key and then its origins, newest first, as `file or override: value`. */
function originInfo(composition: Composition, key: string, cwd: string): string {
  const keyPath = composition.pathOf(key);
  const root = rootFrame(composition.full);
  const frame = nodeAt(root, keyPath);
  if (!frame) throw unknownKey(composition, keyPath);
  const resolved = isInterpolation(frame.node) ? `, which is ${resolvedText(composition, keyPath)}` : '';
  const rows = origins(root, keyPath).map(({ value, ...place }) => [
    shownPlace(placeText(place), cwd),
    valueText(value),
  ]);
  const width = rows.reduce((most, [place]) => Math.max(most, place!.length), 0);
  const lines = rows.map(
    ([place, value], index) => `  ${index === 0 ? 'set by' : 'over  '} ${place!.padEnd(width)}  ${value}\n`,
  );
  return `${keyPath}: ${briefText(frame.node)}${resolved}\n${lines.join('')}`;
}

function resolvedText(composition: Composition, keyPath: string): string {
  try {
    return valueText(composition.setting(keyPath));
  } catch (error) {
    if (error instanceof ConfigError) return `which cannot be resolved: ${error.summary}`;
    throw error;
  }
}

const briefText = (node: ConfigNode) => (isMissing(node) ? '??? (must be given)' : brief(nodeStr(node)));

const valueText = (value: unknown) =>
  brief(JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item)) ?? 'nothing');

const brief = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** Shortens the path of a file in the working directory to its relative path. */
const shownPlace = (place: string, cwd: string) => (place.startsWith(`${cwd}/`) ? place.slice(cwd.length + 1) : place);

function unknownKey({ full }: Composition, keyPath: string): ConfigError {
  const parentPath = keyPath.slice(0, Math.max(keyPath.lastIndexOf('.'), 0));
  const parent = parentPath === '' ? full : nodeAt(rootFrame(full), parentPath)?.node;
  const known =
    parent && isContainer(parent) && parent.kind === 'map'
      ? [...parent.entries.values()].map(({ key }) => String(key))
      : [];
  const near = nearest(keyPath.slice(parentPath === '' ? 0 : parentPath.length + 1), known);
  const prefix = parentPath === '' ? '' : `${parentPath}.`;
  const details = near
    ? [`did you mean '${prefix}${near}'?`]
    : known.length > 0
      ? [`keys there: ${known.join(', ')}`]
      : [];
  return new ConfigError('unknown-key', `The config has no key '${keyPath}'`, details, { keyPath });
}
