// Compares values as node:assert does, in the legacy or the strict mode of deepEqual.
import { getPrototypeOf, hasOwn, is, isArray, isInstance, isObject, keys, method } from './captured.mjs';

const [source, flags, execute] = ['source', 'flags', 'exec'].map((name) => method(RegExp.prototype, name));
const forEach = { Map: method(Map.prototype, 'forEach'), Set: method(Set.prototype, 'forEach') };
const has = { Map: method(Map.prototype, 'has'), Set: method(Set.prototype, 'has') };
const valueAt = method(Map.prototype, 'get');
const ErrorClass = Error;

/** By class of values: a function that returns the content of a value of this class, and throws for a value of another class. */
const contents = {
  Date: method(Date.prototype, 'getTime'),
  RegExp: (value) => {
    execute(value, '');
    return `${source(value)}/${flags(value)}`;
  },
  Map: method(Map.prototype, 'size'),
  Set: method(Set.prototype, 'size'),
  Number: method(Number.prototype, 'valueOf'),
  String: method(String.prototype, 'valueOf'),
  Boolean: method(Boolean.prototype, 'valueOf'),
};
const classNames = keys(contents);

export function classOf(value) {
  if (isArray(value)) return 'Array';
  for (let i = 0; i < classNames.length; i++)
    try {
      contents[classNames[i]](value);
      return classNames[i];
    } catch {
      // The function throws if the value is of another class; the next class is then tried.
    }
  return isInstance(ErrorClass, value) ? 'Error' : 'Object';
}

// oxlint-disable-next-line eqeqeq -- as the legacy comparison of node:assert
export const looselyEqual = (a, b) => a == b || (is(a, NaN) && is(b, NaN));

/**
 * Returns whether two values are equal. @param open pairs whose comparison has begun; they count as equal, so that cyclic values
 * can be compared
 */
export function same(a, b, strict, open = []) {
  if (!isObject(a) || !isObject(b)) return samePrimitives(a, b, strict);
  if (a === b) return true;
  for (let i = 0; i < open.length; i++) if (open[i][0] === a && open[i][1] === b) return true;
  const name = classOf(a);
  if (name !== classOf(b) || (strict && getPrototypeOf(a) !== getPrototypeOf(b))) return false;
  if (hasOwn(contents, name) && !is(contents[name](a), contents[name](b))) return false;
  if (name === 'Error' && (a.name !== b.name || a.message !== b.message)) return false;
  const within = [...open, [a, b]];
  if (hasOwn(forEach, name) && !sameEntries(a, b, name, strict, within)) return false;
  return sameProperties(a, b, name, strict, within);
}

function samePrimitives(a, b, strict) {
  if (is(a, b)) return true;
  if (strict || isObject(a) || isObject(b) || typeof a === 'function' || typeof b === 'function') return false;
  return looselyEqual(a, b);
}

function sameProperties(a, b, name, strict, open) {
  if (name === 'Array' && a.length !== b.length) return false;
  const own = keys(a);
  if (own.length !== keys(b).length) return false;
  for (let i = 0; i < own.length; i++)
    if (!hasOwn(b, own[i]) || !same(a[own[i]], b[own[i]], strict, open)) return false;
  return true;
}

/**
 * Compares the entries of two sets or maps of equal size. All pairs of keys that are objects are tried, since such a key may
 * equal any other.
 */
function sameEntries(a, b, name, strict, open) {
  const others = [];
  forEach[name](b, (value, key) => {
    others[others.length] = [key, value];
  });
  let equal = true;
  forEach[name](a, (value, key) => {
    if (!equal) return;
    if (has[name](b, key)) equal = name === 'Set' || same(value, valueAt(b, key), strict, open);
    else equal = isObject(key) && isAmong(others, key, value, strict, open);
  });
  return equal;
}

function isAmong(entries, key, value, strict, open) {
  for (let i = 0; i < entries.length; i++)
    if (same(key, entries[i][0], strict, open) && same(value, entries[i][1], strict, open)) return true;
  return false;
}
