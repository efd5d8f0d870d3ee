// Finds the values in an environment's `info` that JSON cannot express, with their paths. JSON.stringify throws for some of them
// without stating a path, and silently drops the others.
import { types } from 'node:util';
import { shown } from './shown.js';

const DEEPEST = 500;

/** Returns whether JSON.stringify drops the content of an object, or writes it in another form. */
const isLost = (value: object): boolean =>
  types.isMap(value) ||
  types.isSet(value) ||
  types.isPromise(value) ||
  types.isRegExp(value) ||
  types.isNativeError(value) ||
  types.isTypedArray(value) ||
  types.isAnyArrayBuffer(value) ||
  types.isWeakMap(value) ||
  types.isWeakSet(value);

/** Returns the path and kind of the first value that JSON cannot express, or null. Undefined members are allowed and dropped. */
export function jsonFault(value: unknown, path: string): string | null {
  const fault = faultOf(value, path, []);
  return fault === null ? null : `info must be writable as JSON: ${fault}`;
}

function faultOf(value: unknown, path: string, above: object[]): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path} is ${value}`;
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
    return `${path} is ${shown(value)}`;
  if (typeof value !== 'object' || value === null) return null;
  if (above.includes(value)) return `${path} is an object that contains it`;
  if (above.length === DEEPEST) return `${path} is nested more than ${DEEPEST} deep`;
  try {
    return partsFault(value, path, above);
  } catch (error) {
    return `${path} cannot be read: ${types.isNativeError(error) ? error.message : String(error)}`;
  }
}

function partsFault(value: object, path: string, above: object[]): string | null {
  above.push(value);
  try {
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        const fault = typeof value[i] === 'string' ? null : faultOf(value[i], `${path}[${i}]`, above);
        if (fault !== null) return fault;
      }
      return null;
    }
    if (isLost(value)) return `${path} is ${shown(value)}`;
    if (hasOwnForm(value)) return faultOf(value.toJSON(), `${path}.toJSON()`, above);
    for (const [key, member] of Object.entries(value)) {
      const fault = typeof member === 'string' ? null : faultOf(member, pathOf(path, key), above);
      if (fault !== null) return fault;
    }
    return null;
  } finally {
    above.pop();
  }
}

const hasOwnForm = (value: object): value is { toJSON: () => unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

const pathOf = (path: string, key: string) =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
