// Runs a recorded case of the real Hydra through this package and compares the answers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RecordedRun } from './recorded-command-line.js';
import {
  compose,
  planSweep,
  ConfigError,
  type ComposeOptions,
  type Composition,
  type ConfigErrorKind,
} from '../src/index.js';

interface RecordedError {
  type: string;
  message: string;
  loose: boolean;
  cause?: { type: string; message: string } | null;
}

export interface Expected {
  config?: unknown;
  yaml?: string;
  resolved?: unknown;
  resolve_error?: RecordedError;
  defaults?: { path: string; package: string; parent: string; self: boolean }[];
  choices?: Record<string, string | null>;
  hydra?: Record<string, unknown>;
  warnings?: string[];
  resolve_warnings?: string[];
  non_string_keys?: boolean;
  error?: RecordedError;
  jobs?: string[][];
  batches?: number[];
  job_configs?: unknown[];
  job_override_dirnames?: string[];
  job_dirs?: string[];
  cli?: RecordedRun;
}

export interface RecordedCase {
  id: string;
  area: string;
  tree: Record<string, string>;
  config_dir?: string;
  extra_config_dirs?: string[];
  config_name: string | null;
  overrides?: string[];
  multirun?: boolean;
  unordered?: boolean;
  env?: Record<string, string>;
  hydra_keys?: string[];
  argv?: string[];
  job?: string;
  expect: Expected;
  expect_next?: Expected;
}

const file = path.join(import.meta.dirname, 'fixtures', 'hydra-cases.jsonl.gz');

/** Reads the recorded command lines, or the cases of the composition API. Throws if there are none, because no test would run then. */
export function recordedCases(kind: 'command line' | 'composition'): [RecordedCase, ...RecordedCase[]] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as RecordedCase);
  const [first, ...rest] = all.filter(({ argv }) => (argv !== undefined) === (kind === 'command line'));
  if (first === undefined) throw new Error(`${file} contains no recorded case of kind '${kind}'`);
  return [first, ...rest];
}

/** The reference's error classes that mean the same as each of our kinds. */
const sameCause: Record<ConfigErrorKind, string[]> = {
  'override-syntax': ['OverrideParseException'],
  composition: ['ConfigCompositionException'],
  'invalid-default': ['ValueError', 'AssertionError'],
  'missing-config': ['MissingConfigException'],
  cycle: ['RecursionError'],
  yaml: [
    'ParserError',
    'ScannerError',
    'ConstructorError',
    'ComposerError',
    'OSError',
    'KeyValidationError',
    'UnsupportedValueType',
    'ConfigCompositionException',
  ],
  file: ['OSError'],
  'unknown-key': ['ConfigCompositionException'],
  type: ['ConfigCompositionException', 'ValueError'],
  'interpolation-syntax': ['GrammarParseError', 'ConfigCompositionException'],
  'interpolation-key': ['InterpolationKeyError'],
  'interpolation-missing': ['InterpolationToMissingValueError'],
  interpolation: ['InterpolationResolutionError'],
  'unknown-resolver': ['UnsupportedInterpolationType'],
  sweep: ['ConfigCompositionException', 'HydraException', 'ValueError', 'AssertionError'],
  usage: [],
  validation: [],
};

/** The folder that holds the config tree of the running case; it is masked in all texts. */
let root = '';

export function setRoot(folder: string): void {
  root = folder;
}

function optionsOf(test: RecordedCase): ComposeOptions {
  for (const [name, text] of Object.entries(test.tree)) {
    const target = path.join(root, name);
    mkdirSync(name.endsWith('/') ? target : path.dirname(target), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(target, text);
  }
  const dirs = [test.config_dir ?? '.', ...(test.extra_config_dirs ?? [])];
  return {
    configDirs: dirs.map((dir) => path.join(root, dir)),
    configName: test.config_name,
    overrides: test.overrides ?? [],
    env: test.env ?? {},
    cwd: root,
    jobName: 'app',
  };
}

/** Writes values that JSON cannot hold in the form of the recorded cases. */
function recorded(value: unknown): unknown {
  if (typeof value === 'bigint') return { $int: value.toString() };
  if (typeof value === 'number' && !Number.isFinite(value))
    return { $float: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf' };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(recorded);
  if (typeof value === 'string') return value.replaceAll(root, '<ROOT>');
  if (value === null || typeof value !== 'object') return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, recorded(item)]));
}

/** Returns the answer of a composition, in the form of the cases. */
export function answer(test: RecordedCase): Expected {
  try {
    const options = optionsOf(test);
    return test.multirun ? sweepAnswer(options) : composedAnswer(compose(options), test);
  } catch (error) {
    return { error: errorAnswer(error) };
  }
}

function composedAnswer(composition: Composition, test: RecordedCase): Expected {
  const result: Expected = {
    config: recorded(composition.config),
    yaml: composition.yaml.replaceAll(root, '<ROOT>'),
    defaults: composition.defaults.map((entry) => ({
      path: entry.path,
      package: entry.package,
      parent: entry.parent ?? '<root>',
      self: entry.isSelf,
    })),
    choices: composition.choices,
  };
  if (composition.warnings.length > 0) result.warnings = [...composition.warnings];
  try {
    result.resolved = recorded(composition.resolve());
  } catch (error) {
    result.resolved = null;
    result.resolve_error = errorAnswer(error);
  }
  if (test.hydra_keys) {
    result.hydra = Object.fromEntries(test.hydra_keys.map((key) => [key, settingAnswer(composition, key)]));
  }
  return result;
}

function settingAnswer(composition: Composition, key: string): unknown {
  try {
    return recorded(composition.setting(key) ?? null);
  } catch (error) {
    return { $error: errorAnswer(error) };
  }
}

function sweepAnswer(options: ComposeOptions): Expected {
  const plan = planSweep(options);
  const all = plan.jobs.map((_, job) => plan.compose(job));
  const shown = all.slice(0, 12);
  return {
    jobs: plan.jobs,
    batches: plan.batches,
    job_configs: shown.map((job) => recorded(job.config)),
    job_override_dirnames: shown.map((job) => job.setting('hydra.job.override_dirname') as string),
    job_dirs: shown.map((job) => job.setting('hydra.sweep.subdir') as string).map(String),
  };
}

interface AnsweredError extends RecordedError {
  kind: ConfigErrorKind;
}

function errorAnswer(error: unknown): AnsweredError {
  if (!(error instanceof ConfigError)) throw error;
  return {
    kind: error.kind,
    type: sameCause[error.kind][0] ?? error.kind,
    message: error.message.replaceAll(root, '<ROOT>'),
    loose: false,
  };
}

/** Lists the names that a recorded message contains: our message must contain them too. */
export function namesIn(message: string): string[] {
  const withoutFrames = message.replace(/\n\s+(full_key|object_type|reference_type):?.*/g, '');
  const quoted = [...withoutFrames.matchAll(/(?<!\w)'([^'\n]+)'/g)].map((match) => match[1]!);
  const listed = [...withoutFrames.matchAll(/^\t(\S.*)$/gm)].map((match) => match[1]!);
  return [...quoted, ...listed]
    .filter((name) => name !== '<EOF>')
    .map((name) => name.replace(/^override /, '').replace(/=<OPTION>$/, ''));
}

function errorProblems(ours: AnsweredError, theirs: RecordedError): string[] {
  const problems: string[] = [];
  const types = [theirs.type, theirs.cause?.type];
  if (theirs.loose) return problems;
  if (!sameCause[ours.kind].some((type) => types.includes(type)))
    problems.push(`kind ${ours.kind} for ${types.join('/')}`);
  for (const name of namesIn(theirs.message))
    if (!ours.message.includes(name)) problems.push(`message lacks '${name}'`);
  return problems;
}

/** Lists the differences between our answer and a recorded one; an empty list means that they agree. */
export function problems(ours: Expected, theirs: Expected, unordered: boolean): string[] {
  const found: string[] = [];
  if (theirs.error || ours.error) {
    if (!theirs.error) return [`fails with ${ours.error!.message}`];
    if (!ours.error) return [`composes, but should fail: ${theirs.error.message}`];
    return errorProblems(ours.error as AnsweredError, theirs.error).map(
      (problem) => `${problem}\n${ours.error!.message}\n--- theirs\n${theirs.error!.message}`,
    );
  }
  for (const key of [
    'config',
    'yaml',
    'resolved',
    'defaults',
    'choices',
    'hydra',
    'jobs',
    'batches',
    'job_configs',
    'job_override_dirnames',
    'job_dirs',
  ] as const) {
    if (
      theirs[key] === undefined ||
      (key === 'config' && theirs.non_string_keys) ||
      (key === 'resolved' && theirs.non_string_keys)
    )
      continue;
    const [a, b] = [ours[key], theirs[key]].map((value) =>
      JSON.stringify(
        unordered && Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : sortKeys(value, key),
      ),
    );
    if (a !== b) found.push(`${key}: ${a}\n--- theirs\n${b}`);
  }
  if (theirs.resolve_error) {
    if (!ours.resolve_error) found.push('resolves, but should not');
    else found.push(...errorProblems(ours.resolve_error as AnsweredError, theirs.resolve_error));
  }
  return found;
}

/** Sorts the keys of choices, which are compared as a set of pairs; elsewhere the order of keys is compared too. */
function sortKeys(value: unknown, key: string): unknown {
  if (key !== 'choices' && key !== 'hydra') return value;
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) =>
      item && typeof item === 'object' && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ),
  ) as unknown;
}
