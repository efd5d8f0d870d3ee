// Writes calls in Python's syntax, for templates that omit them.
import { membersOf } from './json-members.js';

const ESCAPES: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r' };

/** Writes a string in single quotation marks, with the escapes of LFM2.5's newer templates. */
export const quoted = (text: string): string => `'${text.replace(/[\\'\n\r]/g, (character) => ESCAPES[character])}'`;

/** Writes `f(a='x', b=[1, True]), g()`. @param calls each with a JSON object */
export const writeCalls = (calls: readonly { name: string; arguments: string }[]): string =>
  calls
    .map(({ name, arguments: json }) => {
      const written = (membersOf(json) ?? []).map(([key, value]) => `${key}=${pythonText(value)}`);
      return `${name}(${written.join(', ')})`;
    })
    .join(', ');

const NAMES: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

/** Converts JSON to Python's syntax, with numbers and spaces unchanged. */
const pythonText = (json: string): string =>
  json.replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"|true|false|null/g,
    (part) => NAMES[part] ?? quoted(JSON.parse(part) as string),
  );
