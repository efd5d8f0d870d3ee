// Runs the tests of Hydra's override parser, defaults tree and defaults list against @bowyer/config.
/* oxlint-disable no-restricted-imports -- The parser of overrides does not belong to the package's interface. */
import { join } from 'node:path';
import { compose, ConfigError } from '@bowyer/config';
import { Float } from '../../packages/config/src/node.js';
import { parseOverride } from '../../packages/config/src/overrides/parser.js';
import {
  ChoiceSweep,
  DictValue,
  GlobSweep,
  IntervalSweep,
  ListExtension,
  QuotedString,
  RangeSweep,
  type OverrideValue,
} from '../../packages/config/src/overrides/value.js';
import { caseOf } from '../cases.js';
import type { CaseResult, Suite } from '../suite.js';
import { pythonSources, recorded, type Recorded, type Tagged } from './python.js';

/** Writes a value with its type, in the form of recorder.py. */
function tagged(value: OverrideValue): Tagged {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return { int: String(value) };
  if (value instanceof Float) return { float: value.value };
  if (value instanceof QuotedString) return { quoted: value.text, quote: value.quote === "'" ? 'single' : 'double' };
  if (Array.isArray(value)) return { list: value.map(tagged) };
  if (value instanceof DictValue)
    return { dict: value.pairs.map(({ key, value: item }) => [tagged(key as OverrideValue), tagged(item)]) };
  if (value instanceof GlobSweep) return { glob: value.include, exclude: value.exclude };
  if (value instanceof ListExtension) return { extend: value.items.map(tagged) };
  const tags = [...value.tags].sort();
  if (value instanceof ChoiceSweep)
    return { choice: value.items.map(tagged), simple: value.simple, shuffle: value.shuffle, tags };
  if (value instanceof RangeSweep)
    return { range: [value.start, value.stop, value.step].map(tagged), shuffle: value.shuffle, tags };
  if (value instanceof IntervalSweep) return { interval: [value.start, value.end].map(tagged), shuffle: false, tags };
  throw new TypeError('a value of another kind');
}

/** Converts an answer to a comparable text, in which Python's text of a float becomes its number. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) =>
    key === 'float' ? String(Number(String(part).replace('inf', 'Infinity'))) : part,
  );
}

function answerOf(record: Recorded, configs: string): unknown {
  if (record.kind === 'override') {
    const { kind, key, package: target, value } = parseOverride(record.text as string);
    return { kind, key, package: target ?? null, value: value === undefined ? null : tagged(value) };
  }
  const { defaults } = compose({
    configDirs: [configs],
    configName: record.name as string | null,
    overrides: record.overrides as string[],
    mode: record.skip === true ? 'multirun' : 'run',
  });
  return defaults.map((each) => [each.path, each.package, each.parent || null, each.isSelf]);
}

function judged(record: Recorded, configs: string): CaseResult {
  const name = record.test.replace('tests/', '');
  let answer: unknown;
  let problem = '';
  try {
    answer = answerOf(record, configs);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problem = error.message.split('\n')[0];
  }
  const given =
    record.kind === 'override' ? JSON.stringify(record.text) : JSON.stringify([record.name, record.overrides]);
  const ours = problem === '' ? comparable(answer) : `error: ${problem}`;
  const theirs = record.error === undefined ? comparable(record.answer) : `error: ${record.error}`;
  const isSame = problem === '' ? ours === theirs : record.error !== undefined;
  return caseOf(name, isSame ? null : `${given}: ${ours}, not ${theirs}`);
}

export default {
  title: "Hydra's override parser, defaults tree and defaults list",
  against: 'configs and overrides',
  sources: pythonSources,
  inCheck: false,
  notes:
    "Hydra's own tests run under pytest, with Java for its grammar; a plugin records what they give to Hydra and what it " +
    'answers. The same overrides and defaults lists are given to Bowyer, which follows Hydra 1.3 where the two differ.',
  run: async ({ folders, work }) => {
    const records = await recorded(folders, 'hydra', ['tests/test_overrides_parser.py', 'tests/defaults_list'], work);
    const configs = join(folders[0], 'tests/defaults_list/data');
    return records.map((record) => judged(record, configs));
  },
} satisfies Suite;
