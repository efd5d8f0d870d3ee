// Finds configs in the built-in hydra settings and a list of folders. The first match is used; files with the same name are not
// merged. The options of a group are the union over all folders.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.js';
import { builtInConfig, builtInGroups, builtInOptions, isBuiltInGroup } from '../hydra/built-in.js';
import { copyNode, type ListNode, type MapNode } from '../node.js';
import { readConfigFile } from './config-file.js';

export interface ConfigSource {
  readonly provider: string;
  readonly scheme: 'pkg' | 'file' | 'structured';
  /** The path that is shown to the user. */
  readonly path: string;
  /** The folder to search; undefined for built-in configs. */
  readonly dir?: string;
  /** The group under which the folder appears, instead of the root. */
  readonly group?: string;
}

export interface LoadedConfig {
  /** The path of the config that was requested, without `.yaml`. */
  readonly path: string;
  readonly package?: string;
  readonly provider: string;
  /** The file that contains the config; undefined for a built-in config. */
  readonly file?: string;
  /** The config without its defaults list. */
  readonly body: MapNode | ListNode;
  readonly defaults?: ReturnType<MapNode['get']>;
}

const builtInSource: ConfigSource = { provider: 'hydra', scheme: 'pkg', path: 'hydra.conf' };
const schemaSource: ConfigSource = { provider: 'schema', scheme: 'structured', path: '' };

export class Repository {
  readonly sources: readonly ConfigSource[];
  private readonly loaded = new Map<string, LoadedConfig | undefined>();
  private readonly folders = new Map<string, readonly { name: string; isFolder: boolean }[] | undefined>();

  constructor(folders: readonly ConfigSource[]) {
    this.sources = [builtInSource, ...folders, schemaSource];
  }

  /** `provider=main, path=file:///conf`, one line per source. */
  searchPathLines(): string[] {
    return this.sources.map(({ provider, scheme, path: where }) => `provider=${provider}, path=${scheme}://${where}`);
  }

  /** Loads a config by its path; undefined if it does not exist. The nodes are shared, so copy them before changing anything. */
  load(configPath: string): LoadedConfig | undefined {
    if (!this.loaded.has(configPath)) this.loaded.set(configPath, this.find(configPath));
    return this.loaded.get(configPath);
  }

  replace(configPath: string, config: LoadedConfig): void {
    this.loaded.set(configPath, config);
  }

  private find(configPath: string): LoadedConfig | undefined {
    const name = configPath.replace(/\.yaml$/, '');
    const builtIn = builtInConfig(name);
    if (builtIn) return { ...builtIn, path: name, provider: 'hydra' };
    for (const source of this.sources) {
      const file = locate(source, `${name}.yaml`);
      if (file === undefined || !exists(file)) continue;
      const { package: target, body } = readConfigFile(file);
      return { ...separateDefaults(body), package: target, path: name, provider: source.provider, file };
    }
    return undefined;
  }

  groupExists(group: string): boolean {
    if (isBuiltInGroup(group)) return true;
    return this.sources.some((source) => {
      if (
        source.group !== undefined &&
        (source.group === group || source.group.startsWith(`${group}/`)) &&
        exists(source.dir!)
      )
        return true;
      return this.entries(source, group) !== undefined;
    });
  }

  /** Lists the names of the options of a group, sorted. */
  options(group: string): string[] {
    const names = new Set(builtInOptions(group));
    for (const source of this.sources) {
      for (const { name, isFolder } of this.entries(source, group) ?? [])
        if (!isFolder && name.endsWith('.yaml')) names.add(name.slice(0, -5));
    }
    return [...names].sort();
  }

  /** Lists the names of the groups inside a group, sorted. */
  groups(parent: string): string[] {
    const names = new Set(builtInGroups(parent));
    for (const source of this.sources) {
      if (source.group !== undefined && parent === '' && exists(source.dir!)) names.add(source.group.split('/')[0]!);
      for (const { name, isFolder } of this.entries(source, parent) ?? [])
        if (isFolder && !name.startsWith('.') && name !== '__pycache__') names.add(name);
    }
    return [...names].sort();
  }

  /** Returns whether a folder is itself on the search path; then it is not a group of the folder that contains it. */
  private isOtherSource(source: ConfigSource, folder: string): boolean {
    return this.sources.some((other) => other !== source && other.dir === folder);
  }

  private entries(source: ConfigSource, group: string): readonly { name: string; isFolder: boolean }[] | undefined {
    const folder = locate(source, group);
    if (folder === undefined || this.isOtherSource(source, folder)) return undefined;
    if (!this.folders.has(folder)) this.folders.set(folder, list(folder));
    const entries = this.folders.get(folder);
    return entries?.filter(({ name, isFolder }) => !isFolder || !this.isOtherSource(source, path.join(folder, name)));
  }
}

/** Returns the file of a config path in a source; undefined if the path is not in the source's group. */
function locate({ dir, group }: ConfigSource, configPath: string): string | undefined {
  if (dir === undefined) return undefined;
  let within = configPath.replace(/^\/+/, '');
  if (group !== undefined) {
    if (within !== group && !within.startsWith(`${group}/`)) return undefined;
    within = within.slice(group.length + 1);
  }
  const file = path.join(dir, within);
  const outside = path.relative(dir, file);
  if (outside === '..' || outside.startsWith(`..${path.sep}`) || within.includes('\0')) {
    throw new ConfigError(
      'composition',
      `'${configPath}' climbs out of the config folder`,
      [`config folder ${dir}`, 'move the file into the folder, or add its folder to hydra.searchpath'],
      { file: dir },
    );
  }
  return file;
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function list(folder: string): readonly { name: string; isFolder: boolean }[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isSymbolicLink()
        ? (statSync(path.join(folder, entry.name), { throwIfNoEntry: false })?.isDirectory() ?? false)
        : entry.isDirectory(),
    }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigError(
      'file',
      `A config folder cannot be read: ${code}`,
      [`folder ${folder}`, 'check its permissions'],
      { file: folder, cause: error },
    );
  }
}

function separateDefaults(body: MapNode | ListNode): Pick<LoadedConfig, 'body' | 'defaults'> {
  if (body.kind === 'list') return { body };
  const defaults = body.get('defaults');
  if (!defaults) return { body };
  const rest = copyNode(body) as MapNode;
  rest.delete('defaults');
  return { body: rest, defaults };
}
