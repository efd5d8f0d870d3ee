// Runs the tests of OmegaConf's merge, grammar and interpolations against @bowyer/config.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compose, ConfigError } from '@bowyer/config';
import { caseOf } from '../cases.js';
import { pythonSources, recorded, type Recorded, type Tagged } from '../hydra/python.js';
import type { CaseResult, Suite } from '../suite.js';

/** Writes a value in YAML's flow style, its texts in quotes. */
function yaml(value: Tagged): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\x7f', '\\x7f');
  if ('int' in value) return value.int as string;
  if ('float' in value)
    return (value.float as string).replace(/^(-?)(inf|nan)$/, '$1.$2').replace(/^(-?\d+)e/, '$1.0e');
  if ('list' in value) return `[${(value.list as Tagged[]).map(yaml).join(', ')}]`;
  return `{${(value.dict as [Tagged, Tagged][]).map(([key, item]) => `${yaml(key)}: ${yaml(item)}`).join(', ')}}`;
}

/** Writes a composed config and OmegaConf's answer in one form, in which 1 and 1.0 are the same number. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function untagged(value: Tagged): unknown {
  if (value === null || typeof value !== 'object') return value;
  if ('int' in value) return Number(value.int);
  if ('float' in value) return Number((value.float as string).replace('inf', 'Infinity'));
  if ('list' in value) return (value.list as Tagged[]).map(untagged);
  return Object.fromEntries((value.dict as [string, Tagged][]).map(([key, item]) => [key, untagged(item)]));
}

/** Composes the parts as files of one defaults list, and returns the resolved config. */
function composed(parts: readonly Tagged[], env: Record<string, string>, folder: string): unknown {
  mkdirSync(folder, { recursive: true });
  for (const [i, part] of parts.entries()) writeFileSync(join(folder, `part${i}.yaml`), `${yaml(part)}\n`);
  const names = parts.map((_, i) => `part${i}`);
  writeFileSync(join(folder, 'config.yaml'), `defaults: [${[...names, '_self_'].join(', ')}]\n`);
  return compose({ configDirs: [folder], configName: 'config', overrides: [], env }).resolve();
}

function judged({ test, kind, parts, env, answer, error }: Recorded, folder: string): CaseResult {
  const name = test.replace('tests/', '');
  const texts = (parts as Tagged[]).map(yaml);
  const unknown = /\$\{\s*(?!oc\.|now:|hydra:)[\w.-]+\s*:/.exec(texts.join(' '));
  if (unknown) return { name: `resolver: ${name}`, outcome: 'skipped', detail: unknown[0] };
  const theirs = error === undefined ? JSON.stringify(plain(untagged(answer as Tagged))) : `error: ${error}`;
  let ours: string;
  try {
    ours = JSON.stringify(plain(composed(parts as Tagged[], env as Record<string, string>, folder)));
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    ours = `error: ${problem.message.split('\n')[0]}`;
  }
  const isSame = ours === theirs || (error !== undefined && ours.startsWith('error: '));
  return caseOf(`${kind}: ${name}`, isSame ? null : `${texts.join(' + ')}: ${ours}, not ${theirs}`);
}

export default {
  title: "OmegaConf's merge, grammar and interpolations",
  against: 'configs',
  sources: pythonSources,
  inCheck: false,
  notes:
    "OmegaConf's own tests run under pytest, with Java for its grammar; a plugin records each config of theirs that YAML " +
    'files could hold, and what OmegaConf makes of it. Bowyer composes the same files.',
  run: async ({ folders, work }) => {
    const tests = ['tests/test_merge.py', 'tests/test_grammar.py', 'tests/interpolation'];
    const records = await recorded(folders, 'omegaconf', tests, work);
    return records.map((record, i) => judged(record, join(work, String(i))));
  },
} satisfies Suite;
