// Groups runs by setting: runs with the same setting have the same config, except for the seed.
import { basename, resolve } from 'node:path';
import { toSnakeCase } from '@bowyer/core';
import type { Table } from '@bowyer/views';
import type { MetricColumns } from './metric-table.js';
import type { RunRecord } from './run-facts.js';

export interface ComparedRun {
  record: RunRecord;
  metrics: MetricColumns;
}

export interface Setting {
  name: string;
  runs: ComparedRun[];
}

/** If more keys differ, the name has only the keys in `TELLING`, or is that of the folder; the table of differences has all. */
const NAMED_KEYS = 3;
/** The config keys that are shown first in the name of a setting, since they say most about the difference between two runs. */
const TELLING = ['env.name', 'algorithm.name', 'policy.model'];

/** Lists the values in a config by their dotted keys, in snake_case. */
export function leavesOf(config: unknown, prefix = ''): Map<string, string> {
  const leaves = new Map<string, string>();
  if (config === null || typeof config !== 'object' || Array.isArray(config)) {
    leaves.set(toSnakeCase(prefix), typeof config === 'string' ? config : JSON.stringify(config));
    return leaves;
  }
  for (const [key, value] of Object.entries(config))
    for (const [leaf, text] of leavesOf(value, prefix === '' ? key : `${prefix}.${key}`)) leaves.set(leaf, text);
  return leaves;
}

/** Lists the keys whose value differs between configs. A key that a run of another version does not have counts as null. */
function variedKeys(configs: readonly ReadonlyMap<string, string>[]): string[] {
  const keys = new Set(configs.flatMap((config) => [...config.keys()]));
  return [...keys].filter((key) => new Set(configs.map((config) => config.get(key) ?? 'null')).size > 1).sort();
}

/** Groups runs by setting, in the order of the runs, and gives each setting a unique name. */
export function settingsOf(runs: readonly ComparedRun[]): Setting[] {
  const configs = runs.map(({ record }) => leavesOf(record.config));
  const varied = variedKeys(configs).filter((key) => key !== 'seed');
  const groups = new Map<string, { index: number; runs: ComparedRun[] }>();
  runs.forEach((run, index) => {
    const key = JSON.stringify(varied.map((name) => configs[index].get(name) ?? 'null'));
    const group = groups.get(key);
    if (group) group.runs.push(run);
    else groups.set(key, { index, runs: [run] });
  });
  const settings = [...groups.values()];
  const names = settings.map(({ index, runs: own }) => nameOf(own[0], configs[index], varied));
  return settings.map(({ runs: own }, i) => {
    const isUnique = names.filter((name) => name === names[i]).length === 1;
    const folder = basename(resolve(own[0].record.directory));
    return { name: isUnique ? names[i] : `${names[i]} (${folder})`, runs: own };
  });
}

function nameOf({ record }: ComparedRun, config: ReadonlyMap<string, string>, varied: readonly string[]): string {
  const value = (key: string) => `${key}=${config.get(key) ?? '–'}`;
  if (varied.length === 0) return record.title;
  if (varied.length <= NAMED_KEYS) return varied.map(value).join(', ');
  const telling = TELLING.filter((key) => varied.includes(key));
  return telling.length > 0
    ? telling.map((key) => config.get(key) ?? '–').join(', ')
    : basename(resolve(record.directory));
}

/** The number of differing keys above which their table is collapsed in the page, so that the curves are not far below. */
const SHOWN_KEYS = 10;

/** Makes a table of the keys that differ, with a column per setting; null where no key differs. */
export function differenceTable(settings: readonly Setting[]): Table | null {
  const configs = settings.map(({ runs }) => leavesOf(runs[0].record.config));
  const varied = variedKeys(configs).filter((key) => key !== 'seed');
  if (varied.length === 0) return null;
  return {
    title: 'What differs in the configs',
    header: ['key', ...settings.map(({ name }) => name)],
    rows: varied.map((key) => [key, ...configs.map((config) => config.get(key) ?? '–')]),
    folded: varied.length > SHOWN_KEYS,
  };
}

export const seedOf = ({ record }: ComparedRun): string => String(record.config.seed ?? '–');

/** Pairs the runs of two settings that have the same seed; if no seed is in both, pairs the first run of each. */
export function matchedRuns(first: Setting, second: Setting): [ComparedRun, ComparedRun][] {
  const bySeed = new Map(second.runs.map((run) => [seedOf(run), run]));
  const same = first.runs.flatMap((run): [ComparedRun, ComparedRun][] => {
    const other = bySeed.get(seedOf(run));
    return other === undefined ? [] : [[run, other]];
  });
  return same.length > 0 ? same : [[first.runs[0], second.runs[0]]];
}
