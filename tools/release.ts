// Makes a release of the present state: npm run release -- VERSION. It moves the news fragments of changes/ into CHANGELOG.md,
// under a heading for the version, and sets the version of all packages and of their dependencies on each other.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '..');
const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Error('usage: npm run release -- VERSION, such as 0.2.0');

const folder = join(repository, 'changes');
const fragments = readdirSync(folder).filter((name) => name !== 'README.md' && name.endsWith('.md'));
if (fragments.length === 0) throw new Error(`${folder} has no fragment, so there is nothing to release`);

/** Reads a fragment, which is one entry, or a list of entries. */
function entriesOf(name: string): string {
  const text = readFileSync(join(folder, name), 'utf8').trim();
  return text.startsWith('- ') ? `${text}\n` : `- ${text.replaceAll('\n', '\n  ')}\n`;
}

/** Replaces a pattern in a file. @throws if the file does not have it */
function replaceIn(file: string, pattern: RegExp, text: string): void {
  const path = join(repository, file);
  const before = readFileSync(path, 'utf8');
  if (!pattern.test(before)) throw new Error(`${file} has nothing like ${pattern}`);
  writeFileSync(path, before.replace(pattern, text));
}

const date = new Date().toISOString().slice(0, 10);
replaceIn('CHANGELOG.md', /^(?=## )/m, `## ${version} (${date})\n\n${fragments.sort().map(entriesOf).join('')}\n`);
for (const name of fragments) rmSync(join(folder, name));

const own = readdirSync(join(repository, 'packages')).map((name) => join('packages', name, 'package.json'));
for (const file of ['package.json', ...own]) {
  replaceIn(file, /(?<="version": ")[^"]+/, version!);
  const path = join(repository, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(?<="@bowyer\/[a-z]+": ")[^"]+/g, version!));
}
replaceIn('packages/core/src/version.ts', /(?<=VERSION = ')[^']+/, version!);
// the version is repeated here, so that the command line starts without loading core
replaceIn('packages/runner/src/program.ts', /(?<=version: ')[^']+/, version!);
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: repository, stdio: 'inherit' });
console.log(`CHANGELOG.md: ${fragments.length} changes under ${version}`);
