// Tests constrained decoding over a folder of JSON Schemas: which compile, why others do not, whether every finished answer is
// valid by ajv, and how long masks take. Tokens are drawn uniformly from the allowed ones, so that only the constraint shapes the
// answers.
//
// node --import tsx benchmarks/json-schemas.ts SCHEMAS TOKENIZER [--sample=1000] [--max-tokens=256] [--out=FILE]
//
// SCHEMAS: a folder of JSON files, one schema each, e.g. the `data` folder of github.com/guidance-ai/jsonschemabench; or that of
// the tests of npm's json-schema-test-suite. TOKENIZER: the folder of a tokenizer.json, or a file of tiktoken.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Rng } from '@bowyer/core';
import {
  ConstraintCompiler,
  GrammarError,
  jsonValue,
  loadTokenizer,
  TokenVocabulary,
  UnsupportedSchemaError,
} from '@bowyer/text';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { tiktoken } from './tiktoken.js';

const require = createRequire(import.meta.url);
const addFormats = (require('ajv-formats') as { default: (ajv: Ajv) => Ajv }).default;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '1000' },
    'max-tokens': { type: 'string', default: '256' },
    out: { type: 'string' },
  },
});
const [folder, tokenizerDir] = positionals;

interface Case {
  name: string;
  schema: unknown;
}

/** Reads all schemas of a folder in order of their paths; files of the test suite contain several. */
function readCases(dir: string): Case[] {
  const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
  return paths.sort().flatMap((path): Case[] => {
    const json = JSON.parse(readFileSync(join(dir, path), 'utf8')) as unknown;
    if (!Array.isArray(json)) return [{ name: path, schema: json }];
    return (json as { description: string; schema: unknown }[]).map(({ description, schema }) => ({
      name: `${path}: ${description}`,
      schema,
    }));
  });
}

/** Selects `size` cases at equal distances. */
function sampled(cases: readonly Case[], size: number): Case[] {
  const count = Math.min(size, cases.length);
  return Array.from({ length: count }, (_, i) => cases[Math.floor((i * cases.length) / count)]);
}

function validator(schema: unknown): ((value: unknown) => boolean) | null {
  const draft = String((schema as { $schema?: unknown } | null)?.$schema ?? '');
  const Kind = draft.includes('2020-12') ? Ajv2020 : draft.includes('2019-09') ? Ajv2019 : Ajv;
  const usable = typeof schema === 'object' && schema !== null ? { ...schema, $schema: undefined } : schema;
  for (const unicodeRegExp of [true, false])
    try {
      const ajv = new Kind({ strict: false, unicodeRegExp, logger: false, validateSchema: false });
      return addFormats(ajv as Ajv).compile(usable as object);
    } catch {
      continue;
    }
  return null;
}

/** Returns the CPU time of all threads, which other processes on the machine do not affect much. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

const rng = new Rng(1);
const times: number[] = [];
const firstTimes: number[] = [];
const slow: string[] = [];

interface Outcome {
  name: string;
  kind: 'finished' | 'cut' | 'refused' | 'failed';
  reason?: string;
  valid?: boolean | null;
  text?: string;
  tokens?: number;
  compileMs?: number;
}

const began = performance.now();
const tokenizer = tokenizerDir.endsWith('.tiktoken') ? tiktoken(tokenizerDir) : await loadTokenizer(tokenizerDir);
const loaded = performance.now();
const vocabulary = new TokenVocabulary(tokenizer);
console.log(
  `tokenizer: ${tokenizer.vocabSize} tokens, read in ${(loaded - began).toFixed(0)} ms, as a vocabulary in ${(performance.now() - loaded).toFixed(0)} ms`,
);
const compiler = new ConstraintCompiler(vocabulary);
const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));

function play({ name, schema }: Case): Outcome {
  const start = process.cpuUsage();
  let compiled;
  try {
    compiled = compiler.compile(jsonValue(schema));
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return { name, kind: 'refused', reason: reasonOf(error) };
    if (error instanceof GrammarError) return { name, kind: 'refused', reason: error.message };
    return { name, kind: 'failed', reason: (error as Error).stack };
  }
  const compileMs = cpuMs(start);
  const maxTokens = Math.max(Number(values['max-tokens']), compiled.leastTokens + 2);
  const constraint = compiled.start();
  const ids: number[] = [];
  let finished = false;
  while (ids.length < maxTokens) {
    const before = process.cpuUsage();
    constraint.allowed(mask, maxTokens - ids.length);
    const ms = cpuMs(before);
    (ids.length < 8 ? firstTimes : times).push(ms);
    if (ms > 20) slow.push(`${ms.toFixed(0)} ms in ${name} after ${tokenizer.decode(ids).slice(-60)}`);
    const id = anyOf(mask);
    if (id === null) return { name, kind: 'failed', reason: `no token is allowed after ${tokenizer.decode(ids)}` };
    if (vocabulary.endIds.includes(id)) {
      finished = true;
      break;
    }
    constraint.accept(id);
    ids.push(id);
  }
  const text = tokenizer.decode(ids);
  if (!finished) return { name, kind: 'cut', text, tokens: ids.length, compileMs };
  const isValid = validator(schema);
  return { name, kind: 'finished', text, tokens: ids.length, compileMs, valid: isValid && isValidText(text, isValid) };
}

const reasonOf = ({ keyword, message }: UnsupportedSchemaError): string =>
  keyword === 'format' || keyword === '$ref'
    ? message.replace(/ at \S+/, '').replace(/known:.*/, '')
    : (keyword ?? 'the whole');

function isValidText(text: string, isValid: (value: unknown) => boolean): boolean {
  try {
    return isValid(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Draws one of the allowed tokens uniformly. */
function anyOf(bits: Uint32Array): number | null {
  let count = 0;
  for (const word of bits) count += bitCount(word);
  if (count === 0) return null;
  let left = rng.integer(0, count - 1);
  for (let w = 0; ; w++) {
    const own = bitCount(bits[w]);
    if (left >= own) left -= own;
    else for (let bit = 0; ; bit++) if (bits[w] & (1 << bit) && left-- === 0) return 32 * w + bit;
  }
}

function bitCount(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count++;
  return count;
}

const quantile = (numbers: readonly number[], share: number) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))];

const cases = sampled(readCases(folder), Number(values.sample));
const outcomes = cases.map(play);
const count = (test: (outcome: Outcome) => boolean) => outcomes.filter(test).length;
const percent = (part: number, whole: number) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;

const compiles = count(({ kind }) => kind === 'finished' || kind === 'cut');
console.log(`compile: ${percent(compiles, cases.length)}`);
console.log(
  `finished: ${percent(
    count(({ kind }) => kind === 'finished'),
    compiles,
  )}`,
);
console.log(
  `valid by ajv: ${percent(
    count(({ valid }) => valid === true),
    count(({ valid }) => typeof valid === 'boolean'),
  )}; ajv does not read ${count(({ kind, valid }) => kind === 'finished' && valid === null)} more`,
);
const compileTimes = outcomes.flatMap(({ compileMs }) => compileMs ?? []);
const inMs = (numbers: readonly number[]) =>
  `median ${quantile(numbers, 0.5).toFixed(3)}, 0.95 ${quantile(numbers, 0.95).toFixed(3)}, 0.99 ${quantile(numbers, 0.99).toFixed(3)}, most ${quantile(numbers, 1).toFixed(1)} ms`;
for (const line of slow.slice(0, 20)) console.log(`slow mask: ${line}`);
console.log(`compile time: ${inMs(compileTimes)}`);
console.log(`mask time, first eight tokens of an answer: ${inMs(firstTimes)}`);
console.log(`mask time, later tokens: ${inMs(times)}`);
const reasons = new Map<string, number>();
for (const { kind, reason = '' } of outcomes)
  if (kind === 'refused' || kind === 'failed')
    reasons.set(`${kind}: ${reason}`, (reasons.get(`${kind}: ${reason}`) ?? 0) + 1);
for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 40))
  console.log(`${String(times).padStart(5)} ${reason}`);
for (const { name, text } of outcomes.filter(({ valid }) => valid === false).slice(0, 20))
  console.log(`INVALID ${name}: ${text?.slice(0, 300)}`);
if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(outcomes, null, 1));
