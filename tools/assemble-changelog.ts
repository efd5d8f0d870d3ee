// Moves the news fragments of changes/ into CHANGELOG.md, under a heading for the version: npm run changelog -- VERSION
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '..');
const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Error('usage: npm run changelog -- VERSION, such as 0.2.0');

const folder = join(repository, 'changes');
const fragments = readdirSync(folder).filter((name) => name !== 'README.md' && name.endsWith('.md'));
if (fragments.length === 0) throw new Error(`${folder} has no fragment, so there is nothing to release`);

/** Reads a fragment, which is one entry, or a list of entries. */
function entriesOf(name: string): string {
  const text = readFileSync(join(folder, name), 'utf8').trim();
  return text.startsWith('- ') ? `${text}\n` : `- ${text.replaceAll('\n', '\n  ')}\n`;
}

const date = new Date().toISOString().slice(0, 10);
const section = `## ${version} (${date})\n\n${fragments.sort().map(entriesOf).join('')}\n`;

const changelog = join(repository, 'CHANGELOG.md');
const text = readFileSync(changelog, 'utf8');
const first = text.indexOf('## ');
writeFileSync(changelog, text.slice(0, first) + section + text.slice(first));
for (const name of fragments) rmSync(join(folder, name));
console.log(`CHANGELOG.md: ${fragments.length} changes under ${version}`);
