// Runs only the tests that need recordings of real systems, in every package that has some: `npm run test:recorded`.
// BOWYER_RECORDINGS names the folder of the recordings; see CONTRIBUTING.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '..');
const variable = process.env.BOWYER_RECORDINGS;
const folder = variable ? resolve(process.env.INIT_CWD ?? '.', variable) : null;
if (folder === null || !existsSync(folder)) {
  const problem = folder === null ? 'is not set' : `names ${folder}, which does not exist`;
  console.error(`BOWYER_RECORDINGS ${problem}; the folder of the recordings is described in CONTRIBUTING.md`);
  process.exit(2);
}

/** The test files of a package that use recordings. */
function recordedTests(packageFolder: string): string[] {
  return ['src', 'test']
    .map((name) => join(packageFolder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file)))
    .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('whenRecorded('));
}

const jest = join(repository, 'node_modules/jest/bin/jest.js');
const nodeOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const failed: string[] = [];
let suites = 0;
for (const name of readdirSync(join(repository, 'packages'))) {
  const cwd = join(repository, 'packages', name);
  const files = name === 'testing' ? [] : recordedTests(cwd);
  if (files.length === 0) continue;
  suites += files.length;
  console.log(`${name}: ${files.length} test files with recordings`);
  const { status } = spawnSync(
    process.execPath,
    [...nodeOptions, jest, '--maxWorkers', '2', '--testNamePattern', '\\[recorded\\]', '--runTestsByPath', ...files],
    { cwd, stdio: 'inherit', env: { ...process.env, BOWYER_RECORDINGS: folder } },
  );
  if (status !== 0) failed.push(name);
}
if (suites === 0) failed.push('no test file with recordings was found');
if (failed.length > 0) console.error(`recorded tests failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
