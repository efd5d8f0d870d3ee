// Expands a sweep to its jobs: the cartesian product of all sweeps in the overrides, in which the last key changes fastest.
// Source: Hydra's basic sweeper, version 1.3.
import { setHydraSetting } from './set-setting.js';
import type { ComposeOptions } from './compose-options.js';
import { compose, composeFrom } from './compose.js';
import type { Composition } from './composition.js';
import { ConfigError } from './config-error.js';
import { rootFrame } from './key-path.js';
import { Float, MapNode } from './node.js';
import { withAliases, type OverrideAliases } from './overrides/aliases.js';
import { maximumSweepSize, rangeValues } from './overrides/decimal-range.js';
import { encodeElement } from './overrides/encode.js';
import { shuffled } from './overrides/functions.js';
import { matchNames } from './overrides/glob.js';
import { parseOverride } from './overrides/parser.js';
import {
  ChoiceSweep,
  GlobSweep,
  IntervalSweep,
  ListExtension,
  RangeSweep,
  isHydraOverride,
  isSweep,
  typedKey,
  type Element,
  type Override,
} from './overrides/value.js';
import { nodeStr } from './python-text.js';
import type { Repository } from './sources/repository.js';

export interface SweepPlan {
  /** The base config of the sweep, composed without the swept values; groups may be without an option. */
  readonly master: Composition;
  readonly jobs: string[][];
  /** The number of jobs in each batch of the sweeper. */
  readonly batches: number[];
  /** Composes the config of one job, equal to that of a run with its overrides. */
  compose(job: number): Composition;
}

/** Lists the overrides of every job of a sweep, as texts. */
export function expandSweep(options: ComposeOptions): string[][] {
  return planSweep(options).jobs;
}

/** Plans the jobs of a sweep, and composes its base config. @throws {ConfigError} */
export function planSweep(options: ComposeOptions): SweepPlan {
  const now = options.now ?? new Date();
  const master = compose({ ...options, now, mode: 'multirun' });
  const typed = withAliases(options.overrides, options.overrideAliases).map(parseOverride);
  const given = typed.filter((override) => !isHydraOverride(override));
  const params = sweeperParams(master, options.overrideAliases).map(parseOverride);
  const jobs = product([...params, ...given], master.repository);
  const hydraOverrides = typed.filter(isHydraOverride);
  const size = batchSize(master);
  const batches =
    size === undefined
      ? [jobs.length]
      : Array.from({ length: Math.ceil(jobs.length / size) }, (_, batch) => Math.min(size, jobs.length - batch * size));
  return {
    master,
    jobs,
    batches,
    compose: (job) =>
      composeJob(
        [...hydraOverrides, ...jobs[job]!.map(parseOverride)],
        job,
        { ...options, now, mode: 'run' },
        master.repository,
      ),
  };
}

function composeJob(
  overrides: readonly Override[],
  job: number,
  options: ComposeOptions,
  repository: Repository,
): Composition {
  // All jobs read their configs from the sweep's folders, since a job cannot change the search path of the primary config.
  const composition = composeFrom(repository, overrides, options);
  setHydraSetting(composition, 'job.id', String(job));
  setHydraSetting(composition, 'job.num', job);
  return composition;
}

/** Reads `hydra.sweeper.params` as override texts, with old keys replaced. */
export function sweeperParams(master: Composition, aliases: OverrideAliases | undefined): string[] {
  const frame = master.resolution().select(rootFrame(master.full), 'hydra.sweeper.params');
  if (frame?.node.kind !== 'map') return [];
  const resolved = master.resolution().deep(frame) as MapNode;
  return withAliases(
    [...resolved.entries.values()].map(({ key, node }) => `${String(key)}=${nodeStr(node)}`),
    aliases,
  );
}

function batchSize(master: Composition): number | undefined {
  const size = master.setting('hydra.sweeper.max_batch_size');
  if (size === undefined || size === null) return undefined;
  if (typeof size !== 'number' || size < 1) {
    throw new ConfigError(
      'sweep',
      `hydra.sweeper.max_batch_size must be at least 1, not ${String(size)}`,
      ['leave it out to run all jobs in one batch'],
      { keyPath: 'hydra.sweeper.max_batch_size' },
    );
  }
  return size;
}

function product(overrides: readonly Override[], repository: Repository): string[][] {
  // If an override's key is given twice, the first position in the order of keys and the last values count.
  const byKey = new Map<string, string[]>();
  for (const override of overrides) byKey.set(typedKey(override), jobTexts(override, repository));
  let jobs: string[][] = [[]];
  for (const texts of byKey.values()) {
    if (jobs.length * texts.length > maximumSweepSize)
      throw new ConfigError('sweep', `The sweep has more than ${maximumSweepSize} jobs`, [
        'sweep over fewer values, or in several runs',
      ]);
    jobs = jobs.flatMap((job) => texts.map((text) => [...job, text]));
  }
  return jobs;
}

function jobTexts(override: Override, repository: Repository): string[] {
  const key = typedKey(override);
  const { value } = override;
  if (value instanceof ListExtension) return [`${key}=${encodeElement([...value.items])}`];
  if (!isSweep(value)) return [`${key}=${encodeElement(value)}`];
  const texts = sweepTexts(override, repository);
  const order = 'shuffle' in value && value.shuffle ? shuffled(texts, override.text) : texts;
  return order.map((text) => `${key}=${text}`);
}

/** An override as a dimension of a search space: the texts to choose from (a single one is fixed), or an interval. */
export type SweepDimension =
  | {
      readonly kind: 'values';
      readonly key: string;
      readonly tags: readonly string[];
      readonly texts: readonly string[];
    }
  | {
      readonly kind: 'interval';
      readonly key: string;
      readonly tags: readonly string[];
      readonly start: number;
      readonly end: number;
      readonly integer: boolean;
    };

/** Returns the search space; a key that is given twice keeps its first position and its last values. @throws {ConfigError} */
export function sweepDimensions(overrides: readonly string[], { repository }: Composition): SweepDimension[] {
  const byKey = new Map<string, SweepDimension>();
  for (const override of overrides.map(parseOverride)) {
    if (!isHydraOverride(override)) byKey.set(typedKey(override), dimension(override, repository));
  }
  return [...byKey.values()];
}

function dimension(override: Override, repository: Repository): SweepDimension {
  const { value } = override;
  const key = typedKey(override);
  const tags =
    value instanceof ChoiceSweep || value instanceof RangeSweep || value instanceof IntervalSweep
      ? [...value.tags]
      : [];
  if (!(value instanceof IntervalSweep)) return { kind: 'values', key, tags, texts: jobTexts(override, repository) };
  const [start, end] = [value.start, value.end].map((bound) =>
    Number(bound instanceof Float ? bound.value : bound),
  ) as [number, number];
  // The bounds of `int(interval(1,8))` are integers, those of `interval(1,8)` are floats.
  return {
    kind: 'interval',
    key,
    tags,
    start,
    end,
    integer: !(value.start instanceof Float || value.end instanceof Float),
  };
}

function sweepTexts({ value, key, text }: Override, repository: Repository): string[] {
  if (value instanceof GlobSweep)
    return matchNames(repository.options(key), value.include, value.exclude).map(encodeElement);
  if (value instanceof ChoiceSweep) return value.items.map(encodeElement);
  if (value instanceof IntervalSweep) {
    throw new ConfigError(
      'sweep',
      `'${text}' is an interval, and the basic sweeper cannot draw from an interval`,
      ['list the values, or use range(start,stop,step)'],
      { keyPath: key },
    );
  }
  try {
    return rangeValues(value as RangeSweep).map((item) => encodeElement(item as Element));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError('sweep', `Cannot expand '${text}': ${error.message}`, [], { keyPath: key });
  }
}
