// Replaces the module `node:util` when Bowyer runs in a web page.
import util from 'util';

const of: Record<string, unknown> = {};
for (const name of Object.getOwnPropertyNames(util.types)) of[name] = util.types[name as keyof typeof util.types];
const never = (): boolean => false;
/**
 * Tests of types. Those that JavaScript in a browser cannot decide, such as whether an object is a proxy, always return false.
 */
export const types = { ...of, isExternal: never, isModuleNamespaceObject: never, isProxy: never };
export const { callbackify, debuglog, deprecate, format, inherits, inspect, promisify } = util;
export const stripVTControlCharacters = (text: string): string => text.replaceAll(/\u001b\[[\d;]*[A-Za-z]/g, '');
export const styleText = (_: unknown, text: string): string => text;

/** Compares primitive values by `Object.is`, and lists and plain objects by their elements. */
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Map || a instanceof Set)
    return isDeepStrictEqual([...a], [...(b as Map<unknown, unknown> | Set<unknown>)]);
  const [one, other] = [Object.entries(a), Object.entries(b)];
  const values = b as Record<string, unknown>;
  return one.length === other.length && one.every(([key, value]) => key in b && isDeepStrictEqual(value, values[key]));
}

const { TextDecoder: Decoder, TextEncoder: Encoder } = globalThis;
export { Decoder as TextDecoder, Encoder as TextEncoder };
export default {
  callbackify,
  debuglog,
  deprecate,
  format,
  inherits,
  inspect,
  promisify,
  isDeepStrictEqual,
  stripVTControlCharacters,
  styleText,
  types,
};
