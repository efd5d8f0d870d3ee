// Runs other people's suites: `npm run suites -- NAME …`, `--all`, `--check` (the fast ones), `--page` (docs/suites.md alone).
// A case that fails without a line in `suites/NAME/expected.json`, and a line that no case needs any more, make the exit code 1.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { obtain, sourceName } from './obtain.js';
import { suitesPage } from './page.js';
import type { Suite, SuiteResult } from './suite.js';

const here = import.meta.dirname;
const repository = resolve(here, '..');
const cache = join(repository, '.cache/suites');
const names = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(here, entry.name, 'suite.ts')))
  .map(({ name }) => name)
  .sort();

async function suiteOf(name: string): Promise<Suite> {
  return ((await import(join(here, name, 'suite.ts'))) as { default: Suite }).default;
}

/** Reads the cases that fail or are skipped, each with its reason. */
function readExpectations(name: string): { case: string; reason: string }[] {
  const file = join(here, name, 'expected.json');
  const lines = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  return Object.entries(lines).map(([caseName, reason]) => ({ case: caseName, reason }));
}

const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
const matcher = (name: string): RegExp => new RegExp(`^${escaped(name).replaceAll('*', '.*')}$`, 's');

/** Adds the cases of lines that give the same reason. */
function casesByReason(lines: readonly { reason: string; cases: number }[]): { reason: string; cases: number }[] {
  const sums = new Map<string, number>();
  for (const { reason, cases } of lines) sums.set(reason, (sums.get(reason) ?? 0) + cases);
  return [...sums].map(([reason, cases]) => ({ reason, cases }));
}

/** Runs one suite, writes its result, and returns the number of cases that ended otherwise than expected. */
async function runSuite(name: string): Promise<number> {
  const suite = await suiteOf(name);
  const started = performance.now();
  mkdirSync(cache, { recursive: true });
  const folders = suite.sources.map((source) => obtain(source, cache));
  const work = join(cache, `work-${name}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const begun = performance.now();
  const measured: string[] = [];
  const log = (line: string): void => console.log(`  ${line}`);
  const cases = await suite.run({ folders, work, log, measured: (sentence) => void measured.push(sentence) });
  const expectations = readExpectations(name).map((line) => ({
    ...line,
    pattern: matcher(line.case),
    cases: 0,
    passes: 0,
  }));
  const surprises: string[] = [];
  for (const { name: caseName, outcome, detail } of cases) {
    const expected = expectations.find(({ pattern }) => pattern.test(caseName));
    if (outcome === 'passed') {
      if (expected) expected.passes++;
    } else if (expected) expected.cases++;
    else surprises.push(`${outcome}: ${caseName}${detail ? `: ${detail}` : ''}`);
  }
  for (const line of expectations)
    if (line.cases === 0) surprises.push(`expected.json: ${line.case}: no case failed (${line.passes} passed)`);
  const count = (wanted: string): number => cases.filter(({ outcome }) => outcome === wanted).length;
  const result: SuiteResult = {
    versions: suite.sources.map(sourceName),
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    reasons: casesByReason(expectations),
    ...(measured.length > 0 && { measured }),
    minutes: Number(((performance.now() - begun) / 60_000).toFixed(1)),
  };
  if (cases.length === 0) surprises.push('the suite ran no case');
  console.log(
    `${name}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped, ${surprises.length} unexpected, ` +
      `${((performance.now() - started) / 60_000).toFixed(1)} min`,
  );
  for (const line of [...measured, ...surprises]) console.log(`  ${line}`);
  if (surprises.length === 0) writeFileSync(join(here, name, 'result.json'), `${JSON.stringify(result, null, 2)}\n`);
  return surprises.length;
}

/** Writes docs/suites.md from the suites and the results of their last runs. */
async function writePage(): Promise<void> {
  const rows = await Promise.all(
    names.map(async (name) => {
      const file = join(here, name, 'result.json');
      const result = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SuiteResult) : null;
      return { name, suite: await suiteOf(name), result };
    }),
  );
  writeFileSync(join(repository, 'docs/suites.md'), suitesPage(rows));
}

const given = process.argv.slice(2);
let chosen = given.filter((word) => !word.startsWith('--'));
if (given.includes('--all')) chosen = names;
if (given.includes('--check')) {
  const suites = await Promise.all(names.map(async (name) => ({ name, inCheck: (await suiteOf(name)).inCheck })));
  chosen = suites.filter(({ inCheck }) => inCheck).map(({ name }) => name);
}
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0 || (chosen.length === 0 && !given.includes('--page'))) {
  console.error(
    `npm run suites -- NAME … | --all | --check | --page; unknown: ${unknown.join(', ') || 'none'}; names: ${names.join(', ')}`,
  );
  process.exit(2);
}
let unexpected = 0;
for (const name of chosen) unexpected += await runSuite(name);
if (!given.includes('--check')) await writePage();
// The programs of others may leave servers open.
process.exit(unexpected > 0 ? 1 : 0);
