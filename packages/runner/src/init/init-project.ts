// Implements `bowyer init NAME [FOLDER]`, which writes a small example project whose files run without changes.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { shellQuoted } from '@bowyer/core';

const templates = join(import.meta.dirname, '../../templates');

/** The only file of the template that the folder may already contain, since a package manager may have written it. */
const PACKAGE = 'package.json';

interface Package {
  scripts?: Record<string, string>;
  [field: string]: unknown;
}

/**
 * Existing files are not changed, except package.json, to which missing scripts are added.
 *
 * @param argv the name of the template, and the folder; the current one if not given
 * @returns the next steps, for the terminal
 * @throws where there is no such template, or the folder already contains one of its files
 */
export function initProject(argv: readonly string[]): string {
  const names = readdirSync(templates);
  const [name, folder = '.', ...more] = argv;
  if (name === undefined || !names.includes(name) || more.length > 0 || folder.startsWith('-'))
    throw new Error(`usage: npx bowyer init ${names.join('|')} [FOLDER]`);
  const from = join(templates, name);
  const files = readdirSync(from).filter((file) => file !== PACKAGE);
  const taken = files.filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0)
    throw new Error(
      `'${folder}' has ${taken.join(', ')} already, which would be lost\n  give another folder: npx bowyer init ${name} FOLDER`,
    );
  mkdirSync(folder, { recursive: true });
  const scripts = writePackage(join(folder, PACKAGE), readPackage(join(from, PACKAGE)));
  for (const file of files) cpSync(join(from, file), join(folder, file));
  const commands = scripts.map((script) => `  npm ${script === 'test' ? 'test' : `run ${script}`}`);
  const place = relative('.', resolve(folder));
  return [
    `written: ${[...files, PACKAGE].join(', ')}`,
    'next:',
    ...(place === '' ? [] : [`  cd ${shellQuoted(place)}`]),
    ...commands,
    '',
  ].join('\n');
}

const readPackage = (path: string): Package => JSON.parse(readFileSync(path, 'utf8')) as Package;

/**
 * Adds the template's fields and scripts to a package.json; existing ones are kept.
 *
 * @returns the names of the template's scripts
 */
function writePackage(path: string, own: Package): string[] {
  const found = existsSync(path) ? readPackage(path) : {};
  const { test } = found.scripts ?? {};
  // The script `test` that npm init writes always fails, and is replaced.
  const isPlaceholder = test?.includes('no test specified') === true;
  const scripts = { ...own.scripts, ...found.scripts, ...(isPlaceholder && { test: own.scripts!.test }) };
  writeFileSync(path, `${JSON.stringify({ ...own, ...found, scripts }, null, 2)}\n`);
  return Object.keys(own.scripts!);
}
