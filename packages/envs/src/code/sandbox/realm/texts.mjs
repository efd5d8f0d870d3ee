import { indexOf, isObject, slice, stringify } from './captured.mjs';

const VALUE_CHARACTERS = 200;
const ERROR_CHARACTERS = 300;
const PROGRAM = 'program.js:';

export function shown(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'function') return 'a function';
  if (!isObject(value) && typeof value !== 'string') return `${value}`;
  try {
    return cut(stringify(value) ?? 'an object', VALUE_CHARACTERS);
  } catch {
    return 'an object';
  }
}

/** Returns the name and the message of an error and, if the engine gives it, the line in the program. */
export function errorText(error) {
  try {
    if (!isObject(error)) return `the value ${shown(error)} was thrown`;
    return `${cut(`${error.name}: ${error.message}`, ERROR_CHARACTERS)}${lineIn(`${error.stack}`)}`;
  } catch {
    return 'a value without a name was thrown';
  }
}

function lineIn(stack) {
  const place = indexOf(stack, PROGRAM);
  if (place < 0) return '';
  const start = place + PROGRAM.length;
  let end = start;
  while (stack[end] >= '0' && stack[end] <= '9' && end < start + 6) end++;
  return end > start ? `, line ${slice(stack, start, end)}` : '';
}

const cut = (text, length) => (text.length > length ? `${slice(text, 0, length)}…` : text);
