// Tab completion: what can follow the words typed so far. Groups are offered with '=' and options after it, keys with '=' or '.',
// `+group` and `~group` too; overrides already typed are taken into account.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { compose, type ComposeOptions } from '../compose.js';
import { ConfigError } from '../config-error.js';
import { rootFrame, type Frame } from '../key-path.js';
import { isContainer, isMissing, isNull, type ConfigNode, type MapNode } from '../node.js';
import type { Resolution } from '../interpolation/resolve.js';
import { nodeStr } from '../python-text.js';
import type { Repository } from '../sources/repository.js';
import { parseFlags } from './flags.js';

const shells = ['bash', 'fish', 'zsh'] as const;
type Shell = (typeof shells)[number];

/** The answer to `-sc WHAT=SHELL`. @throws {ConfigError} */
export function completionText(request: readonly string[], program: string, options: ComposeOptions): string {
  const [what, shell] = request.length === 1 ? request[0]!.split('=') : [];
  if (!what || !['install', 'uninstall', 'query'].includes(what)) {
    throw new ConfigError('usage', '--shell-completion needs one of install=SHELL, uninstall=SHELL and query=SHELL', [`shells: ${shells.join(', ')}`]);
  }
  if (!shells.includes(shell as Shell)) throw new ConfigError('usage', `There is no completion for shell '${shell}'`, ['available:', ...shells.map((name) => `  ${name}`)]);
  if (what === 'install') return installScript(shell as Shell, program);
  if (what === 'uninstall') return uninstallScript(shell as Shell, program);
  const line = options.env?.COMP_LINE;
  if (line === undefined) throw new ConfigError('usage', 'COMP_LINE is not set', ['completion is called by the shell; install it with -sc install=SHELL']);
  return `${completions(withoutProgram(line), options).join(shell === 'fish' ? '\n' : ' ')}\n`;
}

function installScript(shell: Shell, program: string): string {
  const name = `_${program.replace(/\W/g, '_')}_complete`;
  if (shell === 'fish') {
    return `function ${name}\n  set -lx COMP_LINE (commandline -cp)\n  ${program} -sc query=fish\nend\ncomplete -c ${program} -f -a '(${name})'\n`;
  }
  const body = `${name}() {\n  COMPREPLY=($(COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" ${program} -sc query=${shell} 2>/dev/null))\n}\ncomplete -o nospace -o default -F ${name} ${program}\n`;
  const colons = `COMP_WORDBREAKS=\${COMP_WORDBREAKS//[=:]}\n`;
  return shell === 'zsh' ? `autoload -Uz bashcompinit && bashcompinit\n${body}` : colons + body;
}

function uninstallScript(shell: Shell, program: string): string {
  return shell === 'fish' ? `complete -c ${program} -e\n` : `complete -r ${program}\n`;
}

/** The line without its program, which may be given as `node script`. */
function withoutProgram(line: string): string {
  return /^\s*(?:[\w/]*(?:python3?|node)\s+[\w/.-]+|[\w\-=./]+)\s*(.*)$/s.exec(line)?.[1] ?? '';
}

/** What can stand in place of the last word, sorted. */
export function completions(line: string, options: ComposeOptions): string[] {
  const typed = parseFlags(line.split(/\s+/).filter((word) => word !== ''));
  const words = [...typed.overrides];
  const word = line === '' || line.endsWith(' ') || words.length === 0 ? '' : words.pop()!;
  const file = /^(.*=)((?:\.|\/|\\).*)$/s.exec(word);
  if (file) return fileNames(file[2]!).map((name) => file[1]! + name).sort();
  const mode = typed.multirun ? 'multirun' : 'run';
  let composed: ReturnType<typeof compose> | undefined;
  let repository: Repository | undefined;
  try {
    composed = compose({ ...options, overrides: words, mode });
    repository = composed.repository;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    repository = compose({ ...options, overrides: [], mode: 'multirun' }).repository;
  }
  const groups = groupMatches(word, repository);
  const exact = word.replace(/^[+~]/, '').includes('=') && repository.options(word.replace(/^[+~]/, '').split('=')[0]!).length > 0;
  const keys = exact || !composed ? [] : keyMatches(rootFrame(composed.full), word, composed.resolution());
  return [...new Set([...groups, ...keys])].sort();
}

function fileNames(word: string): string[] {
  const dir = isFolder(word) ? word : path.dirname(word);
  const prefix = dir === word ? '' : path.basename(word);
  if (!isFolder(dir)) return [];
  return readdirSync(dir).filter((name) => name.startsWith(prefix)).map((name) => path.join(dir, name));
}

const isFolder = (name: string) => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;

function groupMatches(typed: string, repository: Repository): string[] {
  const prefix = /^[+~]/.exec(typed)?.[0] ?? '';
  const word = typed.slice(prefix.length);
  const equals = word.lastIndexOf('=');
  if (equals >= 0) {
    const group = word.slice(0, equals);
    return repository.options(group).map((option) => `${group}=${option}`).filter((match) => match.startsWith(word)).map((match) => prefix + match);
  }
  const parent = word.includes('/') ? word.slice(0, word.lastIndexOf('/')) : '';
  return repository
    .groups(parent)
    .map((name) => (parent === '' ? name : `${parent}/${name}`))
    .filter((group) => group.startsWith(word))
    .map((group) => prefix + group + groupEnding(group, repository, prefix === '~'));
}

// 'agent=' has options, 'parent/' only further groups; one that has both stands as it is.
function groupEnding(group: string, repository: Repository, isDeletion: boolean): string {
  const hasOptions = repository.options(group).length > 0;
  const hasGroups = repository.groups(group).length > 0;
  if (hasOptions && !hasGroups && !isDeletion) return '=';
  return hasGroups && !hasOptions ? '/' : '';
}

function keyMatches(frame: Frame<MapNode>, word: string, resolution: Resolution): string[] {
  if (word.endsWith('.') || word.endsWith('=')) {
    const found = select(frame, word.slice(0, -1), resolution);
    if (!found || isNull(found.node)) return [];
    if (isContainer(found.node)) return entriesOf(found.node, '').map((match) => word + match);
    return [word + (isMissing(found.node) ? '' : valueText(found.node))];
  }
  const dot = word.lastIndexOf('.');
  if (dot < 0) return entriesOf(frame.node, word);
  const base = word.slice(0, dot);
  const found = select(frame, base, resolution);
  return found && isContainer(found.node) ? entriesOf(found.node, word.slice(dot + 1)).map((match) => `${base}.${match}`) : [];
}

function select(frame: Frame, key: string, resolution: Resolution): Frame | undefined {
  try {
    return resolution.select(frame, key);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

const valueText = (node: ConfigNode) => (node.kind === 'scalar' && typeof node.value === 'boolean' ? String(node.value) : nodeStr(node));

function entriesOf(node: ConfigNode, prefix: string): string[] {
  const entries: [string, ConfigNode][] =
    node.kind === 'map' ? [...node.entries.values()].map(({ key, node: value }) => [String(key), value]) : node.kind === 'list' ? node.items.map((value, index) => [String(index), value]) : []; // prettier-ignore
  return entries.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => key + (isContainer(value) ? '.' : '='));
}
