// Describes a value for an error message: its kind, and its text if that is short.
import { types } from 'node:util';

const LONGEST = 60;

export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the text ${quoted(value)}`;
    case 'bigint':
      return `the BigInt ${value}n`;
    case 'function':
      return `a function${value.name && ` (${value.name})`}`;
    case 'object':
      return shownObject(value);
    default:
      return String(value);
  }
}

function shownObject(value: object | null): string {
  if (value === null) return 'null';
  if (types.isPromise(value) || 'then' in value) return 'a Promise (an await is missing)';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (types.isNativeError(value)) return `the error ${quoted(value.message)}`;
  const { name } = (value.constructor ?? {}) as { name?: unknown };
  return typeof name === 'string' && name !== 'Object' && name !== '' ? `an object of class ${name}` : 'an object';
}

function quoted(text: string): string {
  const json = JSON.stringify(text);
  return json.length <= LONGEST ? json : `${json.slice(0, LONGEST)}…"`;
}
