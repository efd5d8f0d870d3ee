// Tests the main README: its table has every package, its table of results is one that a run prints, and its commands are
// commands of `npx bowyer`. docs.test.ts tests that its links and commands work.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { overview } from '../src/overview.js';
import { resultHeader } from '../src/run/results.js';
import { repository } from './command-line.js';
import { commandsOfPage } from './documented-commands.js';

const readme = readFileSync(join(repository, 'README.md'), 'utf8');

test('one table of packages has every package once, with its README where it is published', () => {
  const rows = [...readme.matchAll(/^\| \[?`@bowyer\/([\w-]+)`/gm)].map(([, name]) => name!);
  const packages = readdirSync(join(repository, 'packages'));
  expect([...rows].sort()).toEqual(packages.sort());
  const linked = [...readme.matchAll(/^\| \[`@bowyer\/([\w-]+)`\]\(packages\/\1\/README\.md\)/gm)];
  expect(linked.map(([, name]) => name)).toEqual(rows.filter((name) => name !== 'testing'));
});

test('the table of results has the columns that a run prints', () => {
  const [header, rule, ...rows] = /^```text\n([\s\S]*?)\n\n/m.exec(readme)![1]!.split('\n');
  expect(header!.trim().split(/ {2,}/)).toEqual(resultHeader);
  const columns = rule!.split('  ').length;
  expect([columns, ...rows.map((row) => row.split(/ {2,}/).length)]).toEqual(Array(4).fill(resultHeader.length));
});

test('the picture is a PNG of at most 200 kB', () => {
  const [, path] = /!\[[^\]]+\]\(([^)]+)\)/.exec(readme)!;
  const picture = readFileSync(join(repository, path!));
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
  expect(picture.length).toBeLessThanOrEqual(200_000);
});

test('its three commands are those that `npx bowyer` shows', () => {
  const shown = commandsOfPage(overview(join(repository, 'configs')).replace(/^ {2}(npx.*)$/gm, '`$1`'));
  expect(commandsOfPage(readme)).toEqual(shown);
  expect(shown).toHaveLength(3);
});
