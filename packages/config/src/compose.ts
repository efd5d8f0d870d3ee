// A config from its files and overrides: parse the overrides, find the defaults list, merge its configs in order, apply the
// overrides, and fill in what `hydra` knows about the job.
// Source: Hydra's documentation and its recorded answers (shared/conformance/hydra), version 1.3.
import { ConfigError, placeText } from './config-error.js';
import { Choices } from './defaults/choices.js';
import { buildDefaultsList, type DefaultsList, type FinalDefault } from './defaults/tree.js';
import { HydraTypeError, checkHydraTypes, convertSetting } from './hydra/schema.js';
import { Resolution } from './interpolation/resolve.js';
import { rootFrame, splitPath, type Frame } from './key-path.js';
import { KindMismatch, mergeInto } from './merge.js';
import { nearest } from './nearest.js';
import { ListNode, MapNode, ScalarNode, fromPlain, isMissing, isNull, toPlain, type ConfigNode, type PlainObject, type PlainValue } from './node.js'; // prettier-ignore
import { applyOverride } from './overrides/apply.js';
import { parseOverride } from './overrides/parser.js';
import { ChoiceSweep, isHydraOverride, isSweep, type Override } from './overrides/value.js';
import { nodeStr } from './python-text.js';
import { origins, type OriginRecord } from './provenance.js';
import type { Repository } from './sources/repository.js';
import { givenSources, repositoryOf, searchPathSources, type ConfigDir } from './sources/search-path.js';
import { writeYaml } from './yaml/write.js';

export interface ComposeOptions {
  /** Searched in order; the first is the program's own. */
  readonly configDirs: readonly ConfigDir[];
  /** The primary config; null for none. */
  readonly configName: string | null;
  /** As typed, one argument each. */
  readonly overrides: readonly string[];
  /** Environment variables; those of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `hydra.job.name`, where no config sets it. */
  readonly jobName?: string;
  /** The run's one time, for `${now:…}`. */
  readonly now?: Date;
  /** Relative folders start here. */
  readonly cwd?: string;
  /** 'multirun': sweeps in the overrides are left out, and groups may still be open. */
  readonly mode?: 'run' | 'multirun';
}

/** One entry of the final defaults list. */
export interface DefaultEntry {
  readonly path: string;
  readonly package: string;
  readonly parent: string | null;
  readonly isSelf: boolean;
}

/** The version of Hydra whose behaviour this is, as `hydra.runtime.version` tells it. */
export const hydraVersion = '1.3.5';

export class Composition {
  /** Nothing but the job's config. */
  readonly root: MapNode;
  readonly defaults: DefaultEntry[];
  readonly choices: Record<string, string | null>;
  readonly warnings: string[] = [];
  private readonly resolverCache = new Map<string, ConfigNode>();

  /** @param full the config with its `hydra` node */
  constructor(
    readonly full: MapNode,
    readonly defaultsList: DefaultsList,
    readonly repository: Repository,
    readonly overrides: readonly Override[],
    private readonly env: Readonly<Record<string, string | undefined>>,
    readonly now: Date,
  ) {
    this.root = new MapNode(full.origin);
    for (const [id, entry] of full.entries) if (entry.key !== 'hydra') this.root.entries.set(id, entry);
    const own = ({ path, parent }: FinalDefault) => !path.startsWith('hydra/') && !parent?.startsWith('hydra/');
    this.defaults = defaultsList.defaults
      .filter(own)
      .map(({ path, package: target, parent, isSelf }) => ({ path, package: target, parent, isSelf }));
    const { choices } = this.hydra.runtime as { choices: Record<string, string | null> };
    this.choices = Object.fromEntries(Object.entries(choices).filter(([key]) => !key.startsWith('hydra/')));
  }

  /** The config as plain values, interpolations as written. */
  get config(): PlainObject {
    return toPlain(this.root) as PlainObject;
  }

  /** The config as `--cfg job` prints it. */
  get yaml(): string {
    return writeYaml(this.root);
  }

  /** The settings under `hydra` as plain values, interpolations as written. */
  get hydra(): PlainObject {
    return toPlain(this.full.get('hydra')!) as PlainObject;
  }

  get hydraYaml(): string {
    const map = new MapNode(this.full.origin);
    map.set('hydra', this.full.get('hydra')!);
    return writeYaml(map);
  }

  resolution(): Resolution {
    return new Resolution({
      env: this.env,
      now: this.now,
      cache: this.resolverCache,
      hydra: () => this.frameOfHydra(),
      warn: (message) => this.warnings.push(message),
    });
  }

  private frameOfHydra(): Frame | undefined {
    const node = this.full.get('hydra');
    return node && { node, parent: rootFrame(this.full), key: 'hydra' };
  }

  /** The config with interpolations resolved; `???` stays, but an interpolation to it is an error. */
  resolve(): PlainObject {
    return toPlain(this.resolveNodes()) as PlainObject;
  }

  /** The same as nodes. @param options.keepMissing interpolations to ??? become ??? */
  resolveNodes(options: { keepMissing?: boolean } = {}): MapNode {
    return this.resolution().deep(rootFrame(this.root), options) as MapNode;
  }

  /** One setting, resolved, such as `hydra.run.dir`; undefined where there is none. */
  setting(keyPath: string): PlainValue | undefined {
    const resolution = this.resolution();
    const found = resolution.select(rootFrame(this.full), keyPath);
    if (!found) return undefined;
    const node = resolution.deep(found);
    const path = splitPath(keyPath);
    return toPlain(path[0] === 'hydra' ? this.typed(path.slice(1), { ...found, node }) : node);
  }

  private typed(path: readonly string[], frame: Frame): ConfigNode {
    try {
      return convertSetting(path, frame);
    } catch (error) {
      if (!(error instanceof HydraTypeError)) throw error;
      const { source: file, line, column } = error.node.origin;
      throw new ConfigError('interpolation', error.message, [`in ${placeText(error.node.origin)}`], {
        keyPath: error.keyPath,
        file,
        line,
        column,
      });
    }
  }

  /** Where a value came from, newest first: the file or override that set it, then what that replaced. */
  origin(keyPath: string): OriginRecord[] {
    return origins(rootFrame(this.full), keyPath);
  }
}

/** Compose a config. @throws {ConfigError} and nothing else, whatever the files and overrides hold */
export function compose(options: ComposeOptions): Composition {
  const warnings: string[] = [];
  const overrides = options.overrides.map(parseOverride);
  if (options.mode !== 'multirun') refuseSweeps(overrides);
  else refuseHydraSweeps(overrides);
  const repository = openRepository(options, overrides, (message) => warnings.push(message));
  return composeFrom(repository, overrides, options, warnings);
}

/** The folders and files a composition can draw from; one repository can serve all jobs of a sweep. */
export function openRepository(
  options: ComposeOptions,
  overrides: readonly Override[],
  warn: (message: string) => void,
): Repository {
  const { configDirs, configName, cwd = process.cwd(), env = process.env } = options;
  const given = givenSources(configDirs, cwd);
  const repository = repositoryOf(given);
  const primary = configName === null ? undefined : repository.load(configName)?.body;
  if (primary?.kind === 'list') {
    const { source: file } = primary.origin;
    throw new ConfigError(
      'composition',
      `Primary config '${configName}' must be a mapping, not a list`,
      [`in ${file}`, `write 'key: value' lines`],
      { file },
    );
  }
  const added = searchPathSources(primary, overrides, cwd, env, warn);
  return added.length === 0 ? repository : repositoryOf([...given, ...added]);
}

export function composeFrom(
  repository: Repository,
  overrides: readonly Override[],
  options: ComposeOptions,
  warnings: string[] = [],
): Composition {
  const { configName, env = process.env, now = new Date(), mode = 'run' } = options;
  const choices = new Choices(overrides, repository);
  const warn = (message: string) => void warnings.push(message);
  const list = buildDefaultsList(configName, { repository, choices, skipMissing: mode === 'multirun', env, warn });
  const full = mergeDefaults(list.defaults, repository, env);
  const root = rootFrame(full);
  for (const override of choices.configOverrides) {
    applyOverride(override, root, { resolution: new Resolution({ env, now }), env });
    if (splitPath(override.key)[0] === 'hydra') checkAfterOverride(root, override);
  }
  if (overrides.some(({ value }) => value !== undefined && isDeprecated(value)))
    warn(`extend_list(…) goes away in a later version of Hydra`);
  fillHydra(full, overrides, choices, repository, { ...options, env });
  const composition = new Composition(full, list, repository, overrides, env, now);
  composition.warnings.push(...warnings);
  return composition;
}

const isDeprecated = (value: unknown) =>
  value !== null && typeof value === 'object' && value.constructor.name === 'ListExtension';

function mergeDefaults(
  defaults: readonly FinalDefault[],
  repository: Repository,
  env: Readonly<Record<string, string | undefined>>,
): MapNode {
  const full = new MapNode({ source: 'the composed config' });
  const root = rootFrame(full);
  let typed = false;
  for (const { path, package: target, primary } of defaults) {
    const { body, file } = repository.load(path)!;
    const embedded = embed(body, target);
    try {
      if (embedded.kind === 'list') throw new KindMismatch(root, embedded);
      if (!primary && path !== 'hydra/config') refuseSearchPath(embedded, path);
      mergeInto(root, embedded, { env });
      if (path === 'hydra/config') typed = true;
      if (typed && embedded.entries.has('hydra')) checkTypes(root);
    } catch (error) {
      throw mergeError(error, path, file);
    }
  }
  return full;
}

function refuseSearchPath(embedded: MapNode, path: string): void {
  const hydra = embedded.get('hydra');
  const entry = hydra?.kind === 'map' ? hydra.get('searchpath') : undefined;
  if (!entry || isNull(entry) || isMissing(entry)) return;
  const { source: file, line, column } = entry.origin;
  throw new ConfigError(
    'composition',
    `In '${path}': hydra.searchpath can only be set in the primary config`,
    [`in ${placeText(entry.origin)}`, 'move it there, or give it on the command line'],
    { keyPath: 'hydra.searchpath', file, line, column },
  );
}

function mergeError(error: unknown, path: string, file: string | undefined): unknown {
  if (error instanceof KindMismatch) {
    const { target, source } = error;
    const key = target.parent && target.parent.node !== target.node ? ` at '${target.key}'` : '';
    return new ConfigError(
      'composition',
      `In '${path}': cannot merge a ${source.kind === 'map' ? 'dict with a list' : 'list with a dict'}${key}`,
      [
        `${placeText(source.origin)} is merged over ${placeText(target.node.origin)}`,
        'give both the same form, or rename one of the keys',
      ],
      { keyPath: target.key, file, line: source.origin.line, column: source.origin.column },
    );
  }
  if (!(error instanceof HydraTypeError)) return error;
  const { source, line, column } = error.node.origin;
  return new ConfigError(
    'composition',
    `In '${path}': ${error.message}`,
    [`in ${placeText(error.node.origin)}`, ...typeHint(error)],
    { keyPath: error.keyPath, file: source, line, column },
  );
}

function typeHint({ keyPath, known }: HydraTypeError): string[] {
  if (!known) return [];
  const near = nearest(keyPath.slice(keyPath.lastIndexOf('.') + 1), known);
  return [
    near
      ? `did you mean '${keyPath.slice(0, keyPath.lastIndexOf('.') + 1)}${near}'?`
      : `known keys there: ${known.join(', ')}`,
  ];
}

function checkTypes(root: Frame<MapNode>, allowUnknown = false): void {
  const node = root.node.get('hydra');
  if (node?.kind !== 'map') throw new HydraTypeError(`'hydra' must be a dict`, 'hydra', node ?? root.node);
  checkHydraTypes({ node, parent: root, key: 'hydra' }, allowUnknown);
}

function checkAfterOverride(root: Frame<MapNode>, override: Override): void {
  try {
    checkTypes(root, true);
  } catch (error) {
    if (!(error instanceof HydraTypeError)) throw error;
    throw new ConfigError('type', `Error merging override '${override.text}': ${error.message}`, [], {
      keyPath: error.keyPath,
      file: 'command line',
    });
  }
}

/** A config below its package: `a.b` puts it under the keys a and b. */
function embed(body: MapNode | ListNode, target: string): MapNode | ListNode {
  let node = body;
  for (const key of splitPath(target).reverse()) {
    const outer = new MapNode(body.origin);
    outer.set(key, node);
    node = outer;
  }
  return node;
}

// What hydra knows about the job only now: its overrides, its choices, where configs came from.
function fillHydra(
  full: MapNode,
  overrides: readonly Override[],
  choices: Choices,
  repository: Repository,
  options: ComposeOptions & { env: Readonly<Record<string, string | undefined>> },
): void {
  // prettier-ignore
  const origin = { source: 'the program' };
  const hydra = full.get('hydra') as MapNode;
  const at = (...keys: string[]) =>
    keys.reduce<ConfigNode | undefined>((node, key) => (node?.kind === 'map' ? node.get(key) : undefined), hydra);
  const set = (map: ConfigNode | undefined, key: string, value: PlainValue) => {
    if (map?.kind === 'map') map.set(key, fromPlain(value, origin));
  };
  const append = (list: ConfigNode | undefined, override: Override) => {
    if (list?.kind !== 'list')
      throw new ConfigError(
        'type',
        'hydra.overrides is kept by the program and must be lists',
        [`remove what sets it: '${list ? nodeStr(list) : 'nothing'}'`],
        { keyPath: 'hydra.overrides' },
      );
    list.items.push(new ScalarNode(override.text, { source: `command line: ${override.text}` }));
  };
  const tasks = overrides.filter((override) => !isHydraOverride(override));
  for (const override of overrides) append(at('overrides', isHydraOverride(override) ? 'hydra' : 'task'), override);
  const runtime = at('runtime');
  for (const [key, value] of choices.known) set(at('runtime', 'choices'), key, value);
  const job = at('job');
  for (const [path, kind] of [
    ['job', 'map'],
    ['job.env_copy', 'list'],
    ['runtime', 'map'],
    ['runtime.choices', 'map'],
    ['overrides', 'map'],
  ] as const) {
    const node = at(...path.split('.'));
    if (node?.kind !== kind)
      throw new ConfigError(
        'type',
        `'hydra.${path}' must be a ${kind === 'map' ? 'dict' : 'list'} that is written out, not ${node ? nodeStr(node) : 'absent'}`,
        [],
        { keyPath: `hydra.${path}` },
      );
  }
  for (const name of textItems(at('job', 'env_copy'))) {
    const value = options.env[name];
    if (value === undefined)
      throw new ConfigError(
        'composition',
        `hydra.job.env_copy names environment variable '${name}', which is not set`,
        [`set it, or take it from the list`],
        { keyPath: 'hydra.job.env_copy' },
      );
    set(at('job', 'env_set'), name, value);
  }
  set(runtime, 'version', hydraVersion);
  set(runtime, 'version_base', '1.3');
  set(runtime, 'cwd', options.cwd ?? process.cwd());
  const sources = repository.sources.map(({ path, scheme, provider }) => ({ path, schema: scheme, provider }));
  set(runtime, 'config_sources', sources);
  const name = at('job', 'name');
  if (job && (!name || isMissing(name))) set(job, 'name', options.jobName ?? 'app');
  set(job, 'override_dirname', overrideDirname(tasks, at('job', 'config', 'override_dirname')));
  set(job, 'config_name', options.configName);
}

const textItems = (node: ConfigNode | undefined): string[] =>
  node?.kind === 'list'
    ? node.items.flatMap((item) => (item.kind === 'scalar' && typeof item.value === 'string' ? [item.value] : []))
    : [];

/** The task overrides as one name: sorted, joined, without excluded keys. */
function overrideDirname(tasks: readonly Override[], settings: ConfigNode | undefined): string {
  const setting = (key: string, fallback: string) => {
    const node = settings?.kind === 'map' ? settings.get(key) : undefined;
    if (node && isMissing(node))
      throw new ConfigError('composition', `hydra.job.config.override_dirname.${key} must be given (it is ???)`, [], {
        keyPath: `hydra.job.config.override_dirname.${key}`,
      });
    return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : fallback;
  };
  const excluded = textItems(settings?.kind === 'map' ? settings.get('exclude_keys') : undefined);
  const texts = tasks.filter(({ key }) => !excluded.includes(key)).map(({ text }) => text);
  const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return texts
    .sort(byCodePoint)
    .join(setting('item_sep', ','))
    .replaceAll('=', () => setting('kv_sep', '='));
}

function refuseSweeps(overrides: readonly Override[]): void {
  for (const { value, text, key } of overrides) {
    if (!isSweep(value)) continue;
    if (value instanceof ChoiceSweep && value.simple) {
      throw new ConfigError(
        'sweep',
        `Ambiguous value for argument '${text}': without --multirun it cannot be a sweep`,
        [
          `1. to use it as a list, write '${key}=[value1,value2]'`,
          `2. to use it as text, quote it: ${key}=\\'value1,value2\\'`,
          '3. to sweep over it, add --multirun',
        ],
        { keyPath: key },
      );
    }
    throw new ConfigError(
      'sweep',
      `Sweep parameters '${text}' require --multirun`,
      ['add --multirun (or -m) to run one job for each value'],
      { keyPath: key },
    );
  }
}

function refuseHydraSweeps(overrides: readonly Override[]): void {
  for (const override of overrides) {
    if (!isSweep(override.value) || !isHydraOverride(override)) continue;
    throw new ConfigError(
      'sweep',
      `Sweeping over hydra's own settings is not supported: '${override.text}'`,
      ['give one value; sweep over keys of the job'],
      { keyPath: override.key },
    );
  }
}
