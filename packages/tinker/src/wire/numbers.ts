// Reads and writes JSON lists of up to millions of numbers in steps, between which the server handles other requests.
import type { Steps } from '@bowyer/text';
import { RequestError } from '../request-error.js';
import { shown } from './bodies.js';

/** The number of elements that one step reads, in less than a millisecond. */
const AT_ONCE = 2 ** 16;

/** @param name of the list, for errors @throws {RequestError} for a value that is not a 32-bit integer */
export function* integersOf(name: string, values: readonly unknown[]): Steps<Int32Array> {
  const integers = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    integers[i] = value as number;
    if (integers[i] !== value) throw notInteger(name, i, value);
    if (i % AT_ONCE === AT_ONCE - 1) yield;
  }
  return integers;
}

function notInteger(name: string, i: number, value: unknown): RequestError {
  if (typeof value !== 'number') return new RequestError(`${name}[${i}]: expected integer, not ${shown(value)}`);
  return new RequestError(`${name} contains ${value}, which is no integer of 32 bits`);
}

/** JSON contains only finite numbers. */
export function* floatsOf(name: string, values: readonly unknown[]): Steps<Float32Array> {
  const floats = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== 'number') throw new RequestError(`${name}[${i}]: expected number, not ${shown(value)}`);
    floats[i] = value;
    if (i % AT_ONCE === AT_ONCE - 1) yield;
  }
  return floats;
}

/** NaN and infinities, which JSON lacks, become null. */
export function* numbersText(values: Float32Array | Int32Array): Steps<string> {
  const parts: string[] = [];
  for (let from = 0; from < values.length; from += AT_ONCE / 8) {
    parts.push(JSON.stringify(Array.from(values.subarray(from, from + AT_ONCE / 8))).slice(1, -1));
    yield;
  }
  return `[${parts.join(',')}]`;
}
