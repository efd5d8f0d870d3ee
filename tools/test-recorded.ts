// Runs only the tests that need recordings of real systems, in every package that has some: `npm run test:recorded`.
// BOWYER_RECORDINGS names the folder of the recordings; see CONTRIBUTING.md.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failuresOfTask, LONGEST } from './failures.js';

const repository = resolve(import.meta.dirname, '..');
const variable = process.env.BOWYER_RECORDINGS;
const folder = variable ? resolve(process.env.INIT_CWD ?? '.', variable) : null;
if (folder === null || !existsSync(folder)) {
  const problem = folder === null ? 'is not set' : `names ${folder}, which does not exist`;
  console.error(`BOWYER_RECORDINGS ${problem}; the folder of the recordings is described in CONTRIBUTING.md`);
  process.exit(2);
}

/** Lists the test files of a package that use recordings. */
function recordedTests(packageFolder: string): string[] {
  return ['src', 'test']
    .map((name) => join(packageFolder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file)))
    .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('whenRecorded('));
}

const jest = join(repository, 'node_modules/jest/bin/jest.js');
const nodeOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', '--single-threaded-gc'];
const options = ['--maxWorkers', '1', '--testNamePattern', '\\[recorded\\]', '--runTestsByPath'];
/** The output of the packages whose tests failed. */
const failed = new Map<string, string>();

/** Runs a package's tests, and prints their output when they have ended. */
async function test({ name, cwd, files }: { name: string; cwd: string; files: string[] }): Promise<void> {
  const child = spawn(process.execPath, [...nodeOptions, jest, ...options, ...files], {
    cwd,
    env: { ...process.env, BOWYER_RECORDINGS: folder! },
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => printed.push(piece));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const text = Buffer.concat(printed).toString();
  console.log(`${name}: ${files.length} test files with recordings\n${text}`);
  if (code !== 0) failed.set(name, (failed.get(name) ?? '') + text);
}

const suites = readdirSync(join(repository, 'packages'))
  .filter((name) => name !== 'testing')
  .map((name) => ({ name, cwd: join(repository, 'packages', name) }))
  .map((suite) => ({ ...suite, files: recordedTests(suite.cwd) }))
  .flatMap(({ files, ...suite }) => [0, 1].map((part) => ({ ...suite, files: files.filter((_, i) => i % 2 === part) })))
  .filter(({ files }) => files.length > 0)
  .sort((a, b) => b.files.length - a.files.length);
if (suites.length === 0) failed.set('packages/', 'no test file with recordings was found');
// Two halves of packages run at the same time with one process each, so that a package's last long file leaves no core idle.
const waiting = suites.values();
await Promise.all(
  [1, 2].map(async () => {
    for (const suite of waiting) await test(suite);
  }),
);
for (const [name, text] of failed)
  console.error(`recorded tests of ${name} failed:\n\n${failuresOfTask(text, LONGEST / failed.size)}\n`);
process.exitCode = failed.size > 0 ? 1 : 0;
