// Freezes all built-in objects of QuickJS, like `lockdown` of Hardened JavaScript, so that an agent's program cannot change the
// objects that its tests use.
import {
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isObject,
  ownKeys,
} from './captured.mjs';

const isFixed = (name) => name === 'undefined' || name === 'NaN' || name === 'Infinity';

/** The names of the global variables with built-in values, and these values in the same order. */
export const names = ownKeys(globalThis).filter((name) => typeof name === 'string' && !isFixed(name));
export const values = names.map((name) => globalThis[name]);

/** Values such as a generator, from which built-in prototypes without a global name are reached. */
const samples = [
  function* () {},
  async () => {},
  async function* () {},
  [].values(),
  [].values().map((each) => each),
  new Map().values(),
  new Set().values(),
  ''[Symbol.iterator](),
  'a'.matchAll(/a/g),
];

export function freezeBuiltIns() {
  fixRandomNumbers();
  const found = reachable();
  const isErrorPrototype = (value) => hasOwn(value, 'message') && hasOwn(value, 'constructor');
  for (const owner of [Object.prototype, Function.prototype, ...found.filter(isErrorPrototype)])
    for (const key of ownKeys(owner)) allowOwn(owner, key);
  for (const owner of found)
    for (const key of ['constructor', 'toString']) if (hasOwn(owner, key)) allowOwn(owner, key);
  for (const value of found) freeze(value);
}

/** Returns all objects that can be reached from the built-in values, except the global object. */
function reachable() {
  const found = new Set([globalThis]);
  const waiting = [...values, ...samples];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if ((!isObject(value) && typeof value !== 'function') || found.has(value)) continue;
    found.add(value);
    waiting.push(getPrototypeOf(value));
    for (const key of ownKeys(value)) {
      const { value: held, get, set } = getOwnPropertyDescriptor(value, key);
      waiting.push(held, get, set);
    }
  }
  return [...found].slice(1);
}

/** Makes a frozen property assignable on objects that inherit it: `this.name = …` in a subclass of Error must work. */
function allowOwn(owner, key) {
  const { value, writable, configurable, enumerable } = getOwnPropertyDescriptor(owner, key);
  if (!writable || !configurable) return;
  const set = function (held) {
    if (this === owner) throw new TypeError(`${String(key)} of a built-in object cannot be changed`);
    const isOwn = getOwnPropertyDescriptor(this, key) !== undefined;
    const ofNew = { writable: true, enumerable: true, configurable: true };
    defineProperty(this, key, isOwn ? { value: held } : { value: held, ...ofNew });
  };
  defineProperty(owner, key, { get: () => value, set, enumerable, configurable });
}

/** Replaces Math.random by a seeded generator, so that a program always has the same result. */
function fixRandomNumbers() {
  const imul = Math.imul;
  let state = 1;
  const random = () => {
    state = (imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  defineProperty(Math, 'random', { value: random, writable: true, enumerable: false, configurable: true });
}
