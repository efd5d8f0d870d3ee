// The folders configs/env and configs/demonstrations, with a file for every environment, written from the environments' schemas:
// a default has its home in the schema, and the file shows it to people. `npm run env-configs` writes them.
import { toSnakeCase } from '@bowyer/core';
import { environmentInfo, environmentNames, type OptionsSchema } from '@bowyer/envs';
import { schemaLine } from './editor-schemas.js';

const WIDTH = 120;

/**
 * Writes the text of each file, by its path below the repository.
 *
 * @param pageOf the page of an environment, as a path below the repository
 */
export function environmentFiles(pageOf: (name: string) => string): Record<string, string> {
  const files: Record<string, string> = {};
  const add = (config: string, lines: readonly string[]): void => {
    const file = `configs/${config}.yaml`;
    files[file] = `${[schemaLine(file, config), ...lines].join('\n')}\n`;
  };
  const written = '# Written by `npm run env-configs` from the schema of the environment.';
  for (const name of environmentNames()) {
    const { description, schema, demonstrations } = environmentInfo(name);
    const about = [...comment(`${description} ${pageOf(name)}`), written, `name: ${name}`];
    add(`env/${name}`, [...about, ...keyLines(schema)]);
    if (!demonstrations || Object.keys(demonstrations.schema.properties).length === 0) continue;
    const ofExpert = [`# The options of the expert: ${pageOf(name)}`, written, ...keyLines(demonstrations.schema)];
    add(`demonstrations/${name}`, ofExpert);
  }
  return files;
}

/** Each key below its description. */
const keyLines = ({ properties }: OptionsSchema): string[] =>
  Object.entries(properties).flatMap(([key, { description, default: value, type }]) => [
    '',
    ...comment(description),
    ...entry(toSnakeCase(key), value, type === 'number'),
  ]);

function comment(text: string): string[] {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + 1 + word.length > WIDTH) lines.push('#');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines;
}

const entry = (key: string, value: unknown, isFloat: boolean): string[] =>
  Array.isArray(value) && value.length > 0
    ? [`${key}:`, ...value.map((item) => `  - ${inline(item)}`)]
    : [`${key}: ${inline(value, isFloat)}`];

/** A value on one line. */
function inline(value: unknown, isFloat = false): string {
  if (typeof value === 'string') return isPlain(value) ? value : `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number') return isFloat && Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => inline(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([key, item]) => `${toSnakeCase(key)}: ${inline(item)}`);
  return `{${entries.join(', ')}}`;
}

const isPlain = (text: string): boolean =>
  /^[A-Za-z][\w-]*$/.test(text) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(text);
