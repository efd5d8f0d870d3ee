// Implements `--shell-completion`: installs, removes and answers tab completion. The next word may be a group with '=' and an
// option, a key with '=' or '.', `+group`, `~group`, a value, a file, a flag or a flag's value.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { compose } from '../compose.js';
import type { Composition } from '../composition.js';
import { ConfigError } from '../config-error.js';
import { rootFrame, splitPath, type Frame } from '../key-path.js';
import { isContainer, isMissing, isNull, type ConfigNode } from '../node.js';
import { nodeStr } from '../python-text.js';
import type { Repository } from '../sources/repository.js';
import { completionShells, installScript, uninstallScript, type CompletionShell } from './completion-scripts.js';
import { flagForms, parseArguments } from './flags.js';
import { enumOptions, propertySchema, schemaFor } from './key-help.js';
import { prepared } from './prepare.js';
import { composeOptions, openSession, type Session } from './session.js';
import type { JsonSchema } from '../json-schema.js';

/** Prints the script to install or remove completion, or the words that can complete a line. Returns the exit code. */
export async function shellCompletion(session: Session): Promise<number> {
  const { flags, program, env, stdout } = session;
  const [request = ''] = flags.overrides;
  const [action, shell] = request.split('=');
  if (flags.overrides.length !== 1 || !['install', 'uninstall', 'query'].includes(action!)) {
    throw new ConfigError('usage', '--shell-completion needs one of install=SHELL, uninstall=SHELL and query=SHELL', [
      `shells: ${completionShells.join(', ')}`,
    ]);
  }
  if (!completionShells.includes(shell as CompletionShell)) {
    throw new ConfigError('usage', `There is no completion for shell '${shell}'`, [
      'available:',
      ...completionShells.map((name) => `  ${name}`),
    ]);
  }
  if (action === 'install') stdout.write(installScript(shell as CompletionShell, program.programName));
  else if (action === 'uninstall') stdout.write(uninstallScript(shell as CompletionShell, program.programName));
  else {
    const { COMP_LINE: line, COMP_POINT: point } = env;
    if (line === undefined)
      throw new ConfigError('usage', 'COMP_LINE is not set', [
        'a shell sets it; install completion with -sc install=SHELL',
      ]);
    const candidates = await completions(point === undefined ? line : line.slice(0, Number(point)), session);
    stdout.write(`${candidates.join(shell === 'fish' ? '\n' : ' ')}\n`);
  }
  return 0;
}

/** Lists the words that can complete the last word of a line, sorted. `line`: the program's name and the words after it. */
async function completions(line: string, session: Session): Promise<string[]> {
  const words = withoutProgram(line)
    .split(/\s+/)
    .filter((word) => word !== '');
  const word = /\s$/.test(line) || words.length === 0 ? '' : words.pop()!;
  const last = words.at(-1);
  const flag = flagForms.find(
    ({ name, short, value }) => last !== undefined && value !== undefined && (last === name || last === short),
  );
  const typed = openTyped(session, words, flag !== undefined);
  if (flag) return flagValues(flag.name, word, typed);
  if (word.startsWith('-'))
    return startingWith(
      word,
      flagForms.flatMap(({ name }) => [name]),
    );
  const file = /^(.*=)((?:~?\/|\.).*)$/s.exec(word);
  if (file) return pathNames(file[2]!, session.cwd).map((name) => file[1]! + name);
  return overrideMatches(word, typed);
}

/** Returns the line without the program's name, which may be `node script` or `npx program`. */
function withoutProgram(line: string): string {
  return /^\s*(?:[\w./-]*(?:python3?|node|npx)\s+\S+|\S+)\s+(.*)$/s.exec(line)?.[1] ?? '';
}

/** Parses the words typed so far, or those before the last word. If they are invalid, the session has no arguments. */
function openTyped(session: Session, words: readonly string[], cutLast: boolean): Session {
  const { program, env, cwd, now, stdout, stderr } = session;
  const argv = cutLast ? words.slice(0, -1) : words;
  try {
    return openSession({ ...program, argv, env, cwd, now, stdout, stderr }, parseArguments(argv));
  } catch {
    return openSession({ ...program, argv: [], env, cwd, now, stdout, stderr }, parseArguments([]));
  }
}

async function flagValues(name: string, word: string, typed: Session): Promise<string[]> {
  const { choices } = flagForms.find((form) => form.name === name)!;
  if (choices) return startingWith(word, choices);
  if (name === '--config-name') return startingWith(word, repositoryFor(typed).options(''));
  if (name === '--package') return (await keyMatches(word, typed)).map((match) => match.replace(/=$/, ''));
  return fileNames(word, typed.cwd);
}

const startingWith = (word: string, candidates: readonly string[]) =>
  candidates.filter((candidate) => candidate.startsWith(word)).sort();

function repositoryFor(typed: Session): Repository {
  const options = composeOptions(typed, []);
  try {
    return compose({ ...options, mode: 'multirun' }).repository;
  } catch {
    return compose({ ...options, configName: null }).repository;
  }
}

/** Composes the config from the words typed so far; undefined if that is not possible yet. */
async function composedSoFar(typed: Session): Promise<Composition | undefined> {
  const options = composeOptions(typed);
  for (const mode of typed.flags.multirun ? (['multirun'] as const) : (['run', 'multirun'] as const)) {
    try {
      return await prepared(typed, compose({ ...options, mode }), 'completion');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }
  return undefined;
}

async function overrideMatches(word: string, typed: Session): Promise<string[]> {
  const composed = await composedSoFar(typed);
  const repository = composed?.repository ?? repositoryFor(typed);
  const groups = groupMatches(word, repository);
  const bare = word.replace(/^[+~]/, '');
  const isOption = bare.includes('=') && repository.options(bare.split('=')[0]!.split('@')[0]!).length > 0;
  const keys = isOption || !composed ? [] : await keyMatches(word, typed, composed);
  return [...new Set([...groups, ...keys])].sort();
}

function groupMatches(word: string, repository: Repository): string[] {
  const prefix = /^[+~]?/.exec(word)![0];
  const typed = word.slice(prefix.length);
  const equals = typed.lastIndexOf('=');
  if (equals >= 0) {
    // In a list or a sweep such as `agent=dqn,p`, the last option is completed.
    const start = Math.max(equals, typed.lastIndexOf(','), typed.lastIndexOf('[')) + 1;
    const options = repository.options(typed.slice(0, equals).split('@')[0]!);
    return startingWith(typed.slice(start), options).map((option) => prefix + typed.slice(0, start) + option);
  }
  const parent = typed.includes('/') ? typed.slice(0, typed.lastIndexOf('/')) : '';
  const groups = repository.groups(parent).map((name) => (parent === '' ? name : `${parent}/${name}`));
  return startingWith(typed, groups).map((group) => prefix + group + groupEnding(group, repository, prefix === '~'));
}

/** 'agent=' if the group has options, 'parent/' if it has only groups, without an ending if it has both. */
function groupEnding(group: string, repository: Repository, isDeletion: boolean): string {
  const hasOptions = repository.options(group).length > 0;
  const hasGroups = repository.groups(group).length > 0;
  if (hasOptions && !hasGroups && !isDeletion) return '=';
  return hasGroups && !hasOptions ? '/' : '';
}

/** Lists the keys that begin with a word, or the values of a key if the word contains '='. */
async function keyMatches(word: string, typed: Session, given?: Composition): Promise<string[]> {
  const composed = given ?? (await composedSoFar(typed));
  if (!composed) return [];
  const root = rootFrame(composed.full);
  const equals = word.indexOf('=');
  if (equals >= 0) {
    const values = await valuesOf(word.slice(0, equals), composed, typed);
    return startingWith(word.slice(equals + 1), values).map((value) => word.slice(0, equals + 1) + value);
  }
  const dot = word.lastIndexOf('.');
  const base = word.slice(0, Math.max(dot, 0));
  const parent = dot < 0 ? root : select(composed, base);
  if (!parent || !isContainer(parent.node)) return [];
  return startingWith(word.slice(dot + 1), entryNames(parent.node)).map((name) => word.slice(0, dot + 1) + name);
}

/** Lists the current value of a key, and the other values that its schema allows. */
async function valuesOf(key: string, composed: Composition, { program }: Session): Promise<string[]> {
  const found = select(composed, key);
  if (!found) return [];
  if (isContainer(found.node)) return entryNames(found.node).map((name) => name.replace(/\.$/, ''));
  const current = isNull(found.node) ? [] : [isMissing(found.node) ? '' : valueText(found.node)];
  const schema = key.startsWith('hydra.') ? undefined : await program.describe?.(composed);
  return [...new Set([...current, ...(schema ? allowedValues(schema, key, composed) : [])])];
}

function allowedValues(schema: JsonSchema, key: string, composed: Composition): string[] {
  let at: JsonSchema | undefined = schema;
  let node: ConfigNode | undefined = composed.root;
  for (const name of splitPath(key)) {
    at = at && propertySchema(schemaFor(at, node, schema), name);
    node = node?.kind === 'map' ? node.get(name) : undefined;
  }
  if (!at) return [];
  const options = enumOptions(at, schema)
    .filter((option) => option !== null && typeof option !== 'object')
    .map(String);
  return schemaFor(at, node, schema).type === 'boolean' ? [...options, 'true', 'false'] : options;
}

function select(composed: Composition, key: string): Frame | undefined {
  try {
    return composed.resolution().select(rootFrame(composed.full), key);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

const valueText = (node: ConfigNode) =>
  node.kind === 'scalar' && typeof node.value === 'boolean' ? String(node.value) : nodeStr(node);

/** Lists the keys of a node as completions: `lr=` for a key with a value, `optimizer.` for a key that contains further keys. */
function entryNames(node: ConfigNode): string[] {
  const entries: [string, ConfigNode][] =
    node.kind === 'map'
      ? [...node.entries.values()].map(({ key, node: value }) => [String(key), value])
      : node.kind === 'list'
        ? node.items.map((value, index) => [String(index), value])
        : [];
  return entries.map(([key, value]) => key + (isContainer(value) ? '.' : '='));
}

/** Lists the files and folders that begin with a word, or the contents of a folder. The shell's function appends '/'. */
function pathNames(word: string, cwd: string): string[] {
  const place = path.resolve(cwd, withHome(word));
  const inside = isFolder(place) && !word.endsWith('/') ? `${word}/` : word;
  return fileNames(inside, cwd).map((name) => name.replace(/\/$/, ''));
}

const withHome = (word: string) => word.replace(/^~(?=\/)/, process.env.HOME ?? '~');

/** Lists the files and folders that begin with a word; folders end with '/'. */
function fileNames(word: string, cwd: string): string[] {
  const slash = word.lastIndexOf('/') + 1;
  const [folder, start] = [word.slice(0, slash), word.slice(slash)];
  const place = path.resolve(cwd, withHome(folder) || '.');
  if (!isFolder(place)) return [];
  const names = readdirSync(place).filter((name) => name.startsWith(start));
  return names.map((name) => folder + name + (isFolder(path.join(place, name)) ? '/' : '')).sort();
}

const isFolder = (name: string) => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
