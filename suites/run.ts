// Runs test suites of other projects: `npm run suites -- NAME …`, `--all`, `--check` (the fast ones), `--page` (only writes
// docs/suites.md). The exit code is 1 if a case fails without a name in `suites/NAME/expected.json`, if a name there matches no
// failed case, or if a reason has another number of cases.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compared, readExpectations } from './expectations.js';
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

const given = process.argv.slice(2);
/** With --check results are not written, since they would differ only in their minutes. */
const isCheck = given.includes('--check');

async function suiteOf(name: string): Promise<Suite> {
  return ((await import(join(here, name, 'suite.ts'))) as { default: Suite }).default;
}

/** Runs one suite, writes its result, and returns the number of unexpected outcomes. */
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
  const { surprises, reasons } = compared(cases, readExpectations(join(here, name, 'expected.json')));
  const count = (wanted: string): number => cases.filter(({ outcome }) => outcome === wanted).length;
  const result: SuiteResult = {
    versions: suite.sources.map(sourceName),
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    reasons,
    ...(measured.length > 0 && { measured }),
    minutes: Number(((performance.now() - begun) / 60_000).toFixed(1)),
  };
  if (cases.length === 0) surprises.push('the suite ran no case');
  console.log(
    `${name}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped, ${surprises.length} unexpected, ` +
      `${((performance.now() - started) / 60_000).toFixed(1)} min`,
  );
  for (const line of [...measured, ...surprises]) console.log(`  ${line}`);
  if (surprises.length === 0 && !isCheck)
    writeFileSync(join(here, name, 'result.json'), `${JSON.stringify(result, null, 2)}\n`);
  return surprises.length;
}

/** Writes docs/suites.md from the suites and their last results. */
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

let chosen = given.filter((word) => !word.startsWith('--'));
if (given.includes('--all')) chosen = names;
if (isCheck) {
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
if (!isCheck) await writePage();
// The suites' programs may leave servers open.
process.exit(unexpected > 0 ? 1 : 0);
