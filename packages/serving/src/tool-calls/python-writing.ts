// Calls as Python writes them, for templates that leave them out.
import { membersOf } from './json-members.js';

const ESCAPES: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r' };

/** A string in single quotation marks, with the escapes of LFM2.5's newer templates. */
export const quoted = (text: string): string => `'${text.replace(/[\\'\n\r]/g, (character) => ESCAPES[character])}'`;

/** `f(a='x', b=[1, True]), g()`. @param calls with an object of JSON each */
export const writeCalls = (calls: readonly { name: string; arguments: string }[]): string =>
  calls
    .map(({ name, arguments: json }) => {
      const written = (membersOf(json) ?? []).map(([key, value]) => `${key}=${pythonText(value)}`);
      return `${name}(${written.join(', ')})`;
    })
    .join(', ');

const NAMES: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

/** Numbers and layout stay as they are. */
const pythonText = (json: string): string =>
  json.replace(
    /"[^"\\]*(?:\\.[^"\\]*)*"|true|false|null/g,
    (part) => NAMES[part] ?? quoted(JSON.parse(part) as string),
  );
