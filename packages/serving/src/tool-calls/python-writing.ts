// Writes tool calls in Python's syntax, for chat templates that do not write the calls of messages themselves.
import { membersOf } from './json-members.js';

const ESCAPES: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r' };

/** Writes a string in single quotation marks, with the escapes that the newer templates of LFM2.5 write. */
export const quoted = (text: string): string => `'${text.replace(/[\\'\n\r]/g, (character) => ESCAPES[character])}'`;

/** Writes calls as `f(a='x', b=[1, True]), g()`. @param calls whose arguments are the text of a JSON object */
export const writeCalls = (calls: readonly { name: string; arguments: string }[]): string =>
  calls
    .map(({ name, arguments: json }) => {
      const written = (membersOf(json) ?? []).map(([key, value]) => `${key}=${pythonText(value)}`);
      return `${name}(${written.join(', ')})`;
    })
    .join(', ');

const NAMES: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

/** Converts JSON text to Python's syntax; numbers and spaces stay as written. */
const pythonText = (json: string): string =>
  json.replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"|true|false|null/g,
    (part) => NAMES[part] ?? quoted(JSON.parse(part) as string),
  );
