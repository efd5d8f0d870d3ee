// Lists the folders to search: those of the program and the command line, then those in `hydra.searchpath`.
import { statSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.js';
import { Resolution } from '../interpolation/resolve.js';
import { rootFrame } from '../key-path.js';
import { isContainer, isMissing, isNull, type ConfigNode, type MapNode } from '../node.js';
import { elementNode } from '../overrides/apply.js';
import { isSweep, ListExtension, type Override } from '../overrides/value.js';
import { nodeStr } from '../python-text.js';
import { Repository, type ConfigSource } from './repository.js';

/** A folder of configs; with `group` it appears as that group instead of the root. */
export type ConfigDir = string | { readonly dir: string; readonly group?: string; readonly provider?: string };

/** The first folder is the program's own and must exist; paths are relative to `cwd`. */
export function givenSources(configDirs: readonly ConfigDir[], cwd: string): ConfigSource[] {
  return configDirs.map((entry, index) => {
    const { dir, group, provider } =
      typeof entry === 'string' ? ({ dir: entry } as { dir: string; group?: string; provider?: string }) : entry;
    const absolute = path.resolve(cwd, dir);
    if (!isFolder(absolute) && group === undefined) {
      const what = index === 0 ? 'Primary' : 'Additional';
      throw new ConfigError(
        'missing-config',
        `${what} config directory '${absolute}' not found`,
        ['check the path, and that it can be read'],
        { file: absolute },
      );
    }
    return {
      provider: provider ?? (index === 0 ? 'main' : 'command-line'),
      scheme: 'file',
      path: absolute,
      dir: absolute,
      group,
    };
  });
}

export const isFolder = (dir: string) => statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;

/** Lists the folders in `hydra.searchpath`, from the command line if it sets it, else from the primary config. */
export function searchPathSources(
  primary: MapNode | undefined,
  overrides: readonly Override[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  warn: (message: string) => void,
): ConfigSource[] {
  const override = overrides.find(
    ({ kind, key, package: target }) => kind === 'set' && key === 'hydra.searchpath' && target === undefined,
  );
  const provider = override ? 'hydra.searchpath in command-line' : 'hydra.searchpath in main';
  const resolution = new Resolution({ env, now: new Date(0) });
  let entries: ConfigNode | undefined;
  if (override && override.value !== null && !isSweep(override.value) && !(override.value instanceof ListExtension)) {
    entries = elementNode(override.value!, { source: `command line: ${override.text}` });
  } else if (primary) {
    const frame = resolution.select(rootFrame(primary), 'hydra.searchpath');
    entries = frame && !isMissing(frame.node) && !isNull(frame.node) ? resolution.deep(frame) : undefined;
  }
  if (!entries) return [];
  const items = entries.kind === 'list' ? entries.items : [entries];
  if (
    !isContainer(entries) ||
    entries.kind !== 'list' ||
    items.some((item) => item.kind !== 'scalar' || typeof item.value !== 'string')
  ) {
    const { source: file, line, column } = entries.origin;
    throw new ConfigError(
      'composition',
      `hydra.searchpath must be a list of strings, not ${nodeStr(entries)}`,
      [`write hydra.searchpath=[file://dir]`],
      { keyPath: 'hydra.searchpath', file, line, column },
    );
  }
  return items.map((item) => addedSource((item as { value: string }).value, provider, cwd, warn));
}

function addedSource(entry: string, provider: string, cwd: string, warn: (message: string) => void): ConfigSource {
  const [, scheme = 'file', where = entry] = /^([a-z]+):\/\/(.*)$/s.exec(entry) ?? [];
  if (scheme !== 'file') {
    warn(`provider=${provider}, path=${entry} is not available`);
    return { provider, scheme: scheme === 'pkg' ? 'pkg' : 'structured', path: where };
  }
  const dir = path.resolve(cwd, where);
  if (!isFolder(dir)) warn(`provider=${provider}, path=${where} is not available`);
  return { provider, scheme: 'file', path: where, dir };
}

export const repositoryOf = (sources: readonly ConfigSource[]) => new Repository(sources);
