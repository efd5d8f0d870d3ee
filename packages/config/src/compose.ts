// Composes a config: parses the overrides, builds the defaults list, merges its configs in order, applies the overrides, and
// fills in the settings under `hydra`.
// Source: Hydra's documentation and recorded outputs (test/fixtures), version 1.3.
import type { ComposeOptions } from './compose-options.js';
import { Composition } from './composition.js';
import { ConfigError } from './config-error.js';
import { Choices } from './defaults/choices.js';
import { addImpliedDefaults } from './defaults/implied.js';
import { buildDefaultsList } from './defaults/tree.js';
import {
  givenTwice,
  optionsNamed,
  optionsOfAnyUnit,
  memberName,
  pathOfFlatName,
  type FlatNames,
  type FlatUse,
} from './flat-names.js';
import { fillHydra } from './fill-hydra.js';
import { Resolution } from './interpolation/resolve.js';
import { rootFrame, splitPath } from './key-path.js';
import type { MapNode } from './node.js';
import { checkAfterOverride, mergeDefaults } from './merge-defaults.js';
import { withAliases } from './overrides/aliases.js';
import { applyOverride, elementNode } from './overrides/apply.js';
import { parseOverride } from './overrides/parser.js';
import {
  ChoiceSweep,
  DictValue,
  ListExtension,
  isHydraOverride,
  isSweep,
  overridePlace,
  type Element,
  type Override,
} from './overrides/value.js';
import { nodeAt } from './provenance.js';
import type { Repository } from './sources/repository.js';
import { givenSources, repositoryOf, searchPathSources } from './sources/search-path.js';

/** Composes a config. @throws {ConfigError} and no other error, for any files and overrides */
export function compose(options: ComposeOptions): Composition {
  const warnings: string[] = [];
  const overrides = withAliases(options.overrides, options.overrideAliases).map(parseOverride);
  if (options.mode !== 'multirun') refuseSweeps(overrides);
  else refuseHydraSweeps(overrides);
  const repository = openRepository(options, overrides, (message) => warnings.push(message));
  return composeFrom(repository, overrides, options, warnings);
}

/** One repository can serve all jobs of a sweep, and caches the files that it has read. */
function openRepository(
  options: ComposeOptions,
  overrides: readonly Override[],
  warn: (message: string) => void,
): Repository {
  const { configDirs, configName, impliedDefaults, cwd = process.cwd(), env = process.env } = options;
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
  const complete = added.length === 0 ? repository : repositoryOf([...given, ...added]);
  if (configName !== null && impliedDefaults) addImpliedDefaults(configName, complete, impliedDefaults);
  return complete;
}

type Recomposition = Pick<ComposeOptions, 'mode' | 'env'> & { source: string; last?: boolean };

/**
 * Composes the same config with further overrides, which are applied before those of the given composition; these take
 * precedence.
 *
 * @param options.last whether the further overrides are applied last instead
 * @param options.source where the further overrides come from, for the origins of their values
 */
export function recompose(
  composition: Composition,
  texts: readonly string[],
  { source, last = false, mode = 'run', env = process.env }: Recomposition,
): Composition {
  const { repository, overrides, now, flatNames } = composition;
  const [configName, jobName] = ['config_name', 'name'].map((key) => composition.setting(`hydra.job.${key}`));
  const further = texts.map((text) => ({ ...parseOverride(text), source }));
  return composeFrom(repository, last ? [...overrides, ...further] : [...further, ...overrides], {
    configDirs: [], // the given repository has opened the folders already
    overrides: [],
    configName: configName as string | null,
    jobName: jobName as string,
    mode,
    env,
    now,
    flatNames,
  });
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
  const names: FlatNames = options.flatNames ?? {};
  const used: FlatUse[] = [];
  const full = mergeDefaults(list.defaults, repository, { env, names, used });
  const root = rootFrame(full);
  const given = new Map<string, Override>();
  for (const typed of choices.configOverrides) {
    const override = withPath(typed, full, names, used);
    const before = given.get(override.key);
    // If an option is given twice by the same name, the last override counts, as in Hydra. By two different names it is an error.
    if (before !== undefined && typed.source === undefined && before.key !== typed.key)
      throw givenTwice(override.key, `by ${before.text}`, `by ${typed.text}`);
    if (typed.source === undefined) given.set(override.key, typed);
    applyOverride(override, root, {
      resolution: new Resolution({ env, now, pathOf: (key) => pathOfFlatName(full, key, names) }),
      env,
      flatNames: () =>
        new Map(
          Object.keys(names).flatMap((name) =>
            optionsNamed(full, name, names)
              .slice(0, 1)
              .map((path) => [name, path] as const),
          ),
        ),
    });
    if (splitPath(override.key)[0] === 'hydra') checkAfterOverride(root, override);
  }
  if (overrides.some(({ value }) => value instanceof ListExtension))
    warn(`extend_list(…) goes away in a later version of Hydra`);
  fillHydra(full, { overrides, choices, repository, options: { ...options, env } });
  const composition = new Composition(full, list, repository, overrides, { env, now, names, used });
  composition.warnings.push(...warnings);
  return composition;
}

/** Replaces the flat name in an override by the option's path, and adds it to `used`. */
function withPath(override: Override, root: MapNode, names: FlatNames, used: FlatUse[]): Override {
  const { key, value, kind } = override;
  const isDeleted = kind === 'delete';
  const origin = { source: overridePlace(override) };
  const isPlain = isDeleted || isSweep(value) || value instanceof ListExtension;
  const node = isPlain ? undefined : elementNode(value as Element, origin);
  const path = pathOfFlatName(root, key, names, { value: node, origin });
  if (path === undefined) {
    const others = nodeAt(rootFrame(root), key) === undefined ? optionsOfAnyUnit(root, key, names) : [];
    if (others.length === 0) return override;
    const hint = `write one of: ${others.join(', ')}`;
    throw new ConfigError('unknown-key', `'${key}' is the name of no option here`, [`in ${origin.source}`, hint], {
      keyPath: key,
    });
  }
  used.push({ name: override.text, path });
  if (!(value instanceof DictValue)) return { ...override, key: path };
  const renamed = new DictValue();
  for (const { key: member, value: own } of value.pairs)
    renamed.pairs.push({
      key: typeof member === 'string' ? memberName(member, { name: key, path }, root, names) : member,
      value: own,
    });
  return { ...override, key: path, value: renamed };
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
