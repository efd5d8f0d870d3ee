// Measures the cost of constraining an answer by a JSON Schema, here and in web-xgrammar: compilation, and for each token its
// mask and its acceptance, over the same schemas and tokens, in CPU time of this process. Tokens are drawn uniformly from the
// allowed ones; a schema counts if both libraries compile it and web-xgrammar accepts all of its tokens. Each measurement starts
// with a new vocabulary, so that the times include the filling of caches.
//
// node --conditions=source --import tsx benchmarks/json-masks.ts SCHEMAS TIKTOKEN XGRAMMAR [schemas] [most tokens of an answer]
//
// SCHEMAS: the `data` folder of github.com/guidance-ai/jsonschemabench. TIKTOKEN: e.g. gpt-tokenizer's data/o200k_base.tiktoken.
// XGRAMMAR: the folder of the npm package @mlc-ai/web-xgrammar.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { ConstraintCompiler, jsonValue, TokenVocabulary } from '@bowyer/text';
import { tiktoken, tiktokenBytes } from './tiktoken.js';

/** The part of web-xgrammar that is used here. */
interface XGrammar {
  TokenizerInfo: {
    createTokenizerInfo(vocab: string[], kind: string, space: boolean, size: number, stop: number[]): Promise<Disposed>;
  };
  GrammarCompiler: { createGrammarCompiler(info: Disposed): Promise<XCompiler> };
  GrammarMatcher: { createGrammarMatcher(grammar: Disposed): Promise<XMatcher> };
}
interface Disposed {
  dispose(): void;
}
interface XCompiler {
  compileJSONSchema(schema: string): Promise<Disposed>;
}
interface XMatcher extends Disposed {
  acceptToken(id: number): boolean;
  getNextTokenBitmask(): Promise<Int32Array>;
}

/** CPU times in ms. */
interface Times {
  compile: number[];
  tokens: number[];
}

const [schemas, vocabularyFile, xgrammarDir, wanted = '20', most = '128'] = process.argv.slice(2);
if (xgrammarDir === undefined) throw new Error('three arguments: SCHEMAS, TIKTOKEN and XGRAMMAR');
const maxTokens = Number(most);
const tokenizer = tiktoken(vocabularyFile);

let from = process.cpuUsage();
const vocabulary = new TokenVocabulary(tokenizer);
console.log(`${vocabulary.size} tokens: ours reads them in ${cpuMs(from).toFixed(0)} ms`);
const drawing = new ConstraintCompiler(vocabulary);
const compiler = new ConstraintCompiler(new TokenVocabulary(tokenizer));
from = process.cpuUsage();
const { GrammarMatcher, compiler: theirs } = await openXGrammar();
console.log(`web-xgrammar in ${cpuMs(from).toFixed(0)} ms`);

const mask = new Uint32Array(Math.ceil(vocabulary.size / 32));
const rng = new Rng(1);
const ours: Times = { compile: [], tokens: [] };
const other: Times = { compile: [], tokens: [] };
const passedOver = { ours: 0, other: 0 };
for (const text of schemaTexts()) {
  if (ours.compile.length === Number(wanted)) break;
  await measure(text);
}
console.log(`${ours.compile.length} schemas, ${ours.tokens.length} tokens; passed over: ${JSON.stringify(passedOver)}`);
print('ours', ours);
print('web-xgrammar', other);
console.log(`load ${loadavg()[0].toFixed(0)}`);

async function measure(text: string): Promise<void> {
  const schema = jsonValue(JSON.parse(text));
  const ids = drawn(schema);
  if (ids === null) return void passedOver.ours++;
  const found = await theirTimes(text, ids).catch(() => null);
  if (found === null) return void passedOver.other++;
  other.compile.push(...found.compile);
  other.tokens.push(...found.tokens);
  let start = process.cpuUsage();
  const constraint = compiler.compile(schema).start();
  ours.compile.push(cpuMs(start));
  ids.forEach((id, i) => {
    start = process.cpuUsage();
    constraint.allowed(mask, maxTokens - i);
    constraint.accept(id);
    ours.tokens.push(cpuMs(start));
  });
}

/** Draws an answer; null if the schema is refused. */
function drawn(schema: ReturnType<typeof jsonValue>): number[] | null {
  const ids: number[] = [];
  try {
    const compiled = drawing.compile(schema);
    if (compiled.leastTokens >= maxTokens) return null;
    const constraint = compiled.start();
    while (ids.length < maxTokens) {
      constraint.allowed(mask, maxTokens - ids.length);
      const id = anyOf(mask);
      if (vocabulary.endIds.includes(id)) break;
      constraint.accept(id);
      ids.push(id);
    }
    return ids;
  } catch {
    return null;
  }
}

/** Measures the other library; null if it does not accept a token. */
async function theirTimes(schema: string, ids: readonly number[]): Promise<Times | null> {
  let start = process.cpuUsage();
  const grammar = await theirs.compileJSONSchema(schema);
  const matcher = await GrammarMatcher.createGrammarMatcher(grammar);
  const compile = [cpuMs(start)];
  const tokens: number[] = [];
  try {
    for (const id of ids) {
      start = process.cpuUsage();
      await matcher.getNextTokenBitmask();
      if (!matcher.acceptToken(id)) return null;
      tokens.push(cpuMs(start));
    }
    return { compile, tokens };
  } finally {
    matcher.dispose();
    grammar.dispose();
  }
}

/** Opens XGrammar, whose package.json declares a CommonJS file as a module. */
async function openXGrammar() {
  const dir = mkdtempSync(join(tmpdir(), 'xgrammar-'));
  copyFileSync(join(xgrammarDir, 'lib/index.js'), join(dir, 'index.cjs'));
  const library = createRequire(import.meta.url)(join(dir, 'index.cjs')) as XGrammar;
  rmSync(dir, { recursive: true });
  const bytes = tiktokenBytes(vocabularyFile);
  const info = await library.TokenizerInfo.createTokenizerInfo(
    bytes.map(byteLevel),
    'byte_level',
    false,
    bytes.length,
    [bytes.length - 1],
  );
  return {
    GrammarMatcher: library.GrammarMatcher,
    compiler: await library.GrammarCompiler.createGrammarCompiler(info),
  };
}

/** Writes a token as byte-level vocabularies do: bytes without a visible character are written from U+0100 on. */
function byteLevel(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    const hasSign = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    if (hasSign) return String.fromCharCode(byte);
    const before = byte <= 32 ? byte : byte <= 160 ? byte - 127 + 33 : 67;
    return String.fromCharCode(256 + before);
  }).join('');
}

/** Reads four times the needed number of schemas, at equal distances. */
function schemaTexts(): string[] {
  const paths = readdirSync(schemas, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
  paths.sort();
  const count = Math.min(4 * Number(wanted), paths.length);
  return Array.from({ length: count }, (_, i) =>
    readFileSync(join(schemas, paths[Math.floor((i * paths.length) / count)]), 'utf8'),
  );
}

/** Draws one of the allowed tokens uniformly. */
function anyOf(bits: Uint32Array): number {
  const ids: number[] = [];
  bits.forEach((word, w) => {
    for (let bit = 0; word !== 0 && bit < 32; bit++) if ((word >>> bit) & 1) ids.push(32 * w + bit);
  });
  return ids[rng.integer(0, ids.length - 1)];
}

function print(name: string, { compile, tokens }: Times): void {
  const sum = (times: number[]) => times.reduce((total, ms) => total + ms, 0).toFixed(0);
  const of = (times: number[]) => [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(3)).join(', ');
  console.log(`${name}: median, 0.95, most in ms of CPU time: compile ${of(compile)}; a token ${of(tokens)}`);
  console.log(`${name}: in all ${sum(compile)} ms of compilation, ${sum(tokens)} ms of tokens`);
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** Returns the CPU time of all threads, which other processes on the machine do not affect much. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
