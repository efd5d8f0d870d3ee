// Reads run-config.json, in which a run has recorded the options on which its results depend, with keys in camelCase.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContextOptions, MemoryOptions } from '@bowyer/envs';
import { isConversationFile } from '@bowyer/conversations';
import { toCamelCase, toSnakeCase, isRecord } from '@bowyer/core';
import { flatNames } from '../keys/flat-names.js';

/** The file in a run's folder with the options on which its results depend. */
export const CONFIG_FILE = 'run-config.json';

type Node = Record<string, unknown>;

export interface RecordedConfig extends Node {
  task?: { name?: string; model?: string | null; epochs?: number };
  algorithm?: { name?: string; epochs?: number; gamma?: number; actor?: { schedule?: Node } };
  env?: { name?: string; envs?: unknown };
  /** `model` is the model from which training started; null or absent for a policy that was trained from scratch. */
  policy?: { model?: string | null; checkpoint?: string | null };
  play?: { asChat?: boolean };
  device?: { kind?: string };
  demonstrations?: { path?: string | null };
  context?: ContextOptions;
  memory?: MemoryOptions;
}

/**
 * Reads the text of run-config.json. Options under flat names, as earlier versions wrote them, are moved to their present config
 * nodes.
 *
 * @param text contents of the file
 */
export function recordedConfig(text: string): RecordedConfig {
  const record = JSON.parse(text) as Node;
  const name = (record.agentType ?? (record.algorithm as Node | undefined)?.name) as string | undefined;
  const task = (isRecord(record.task) ? record.task.name : record.task) as string | undefined;
  const config: Node = {};
  const flat: [path: string, value: unknown][] = [];
  for (const [key, value] of Object.entries(record)) {
    const path = pathOf(toSnakeCase(key), value, name, task);
    if (path === undefined) config[key] = isRecord(value) ? { ...value } : value;
    else
      flat.push([
        path,
        isRecord(value) ? withMembers(value, toSnakeCase(key), path, (own) => pathOf(own, null, name, task)) : value,
      ]);
  }
  for (const former of NESTED) {
    const path = pathOf(former, null, name, task);
    const value = path === undefined ? undefined : take(config, former.split('.').map(toCamelCase));
    if (value !== undefined) flat.push([path!, value]);
  }
  for (const [path, value] of flat) {
    const keys = path.split('.').map(toCamelCase);
    const last = keys.pop()!;
    let node = config;
    for (const key of keys) node = (node[key] ??= {}) as Node;
    node[last] ??= value;
  }
  return config;
}

/**
 * Renames the options in a node that was recorded under a flat name to their present names at the node's path.
 *
 * @param find returns the path of a flat name
 */
const withMembers = (node: Node, name: string, path: string, find: (name: string) => string | undefined): Node =>
  Object.fromEntries(
    Object.entries(node).map(([member, value]) => {
      const own = find(`${name}.${toSnakeCase(member)}`);
      return [own?.startsWith(`${path}.`) ? toCamelCase(own.slice(path.length + 1)) : member, value];
    }),
  );

/** Returns the path of an option under a flat name; undefined for nodes, and for options still at the root of the config. */
function pathOf(key: string, value: unknown, algorithm: string | undefined, task = 'train'): string | undefined {
  if (isRecord(value) && NODES.has(key)) return undefined;
  const paths = (flatNames[key] ?? []).flatMap((given) => {
    if (typeof given === 'string') return [given];
    return given.units.includes(algorithm ?? '') ? [given.path] : [];
  });
  const isOfTask = (path: string) => path.startsWith('task.');
  const prefersTask = !['train', 'evaluate'].includes(task);
  return paths.find((path) => isOfTask(path) === prefersTask) ?? paths[0];
}

const NODES = new Set(
  Object.values(flatNames).flatMap((paths) =>
    paths.map((given) => (typeof given === 'string' ? given : given.path).split('.')[0]),
  ),
);

/** Lists former paths of options within a config node, such as that of a schedule whose member was renamed. */
const NESTED = Object.keys(flatNames).filter((name) => name.includes('.') && NODES.has(name.split('.')[0]));

/** Removes an option from a config and returns its value; undefined if the config does not have it. */
function take(config: Node, keys: readonly string[]): unknown {
  const node = keys.slice(0, -1).reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), config);
  if (!isRecord(node)) return undefined;
  const last = keys.at(-1)!;
  const value = node[last];
  delete node[last];
  return value;
}

/** Null for a model that no run has trained. */
export function runOf(agentFolder: string): RecordedConfig | null {
  let folder = agentFolder;
  for (let up = 0; up < 4; up++) {
    const file = join(folder, CONFIG_FILE);
    if (existsSync(file)) return recordedConfig(readFileSync(file, 'utf8'));
    folder = dirname(folder);
  }
  return null;
}

/**
 * An agent that learned from conversations belongs to no environment: that of its run was used for evaluations only. If the file
 * no longer exists, the answer is whether the run read its data through a chat template.
 */
export function learnedConversations({ demonstrations, play, algorithm }: RecordedConfig): boolean {
  const path = demonstrations?.path ?? null;
  if (path === null || algorithm?.epochs === undefined) return false;
  return existsSync(path) ? isConversationFile(path) : (play?.asChat ?? false);
}
