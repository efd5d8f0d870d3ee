// Keeps references to built-in functions before an agent's program runs. The modules of this folder call only these functions and
// never a method of a value that the program may have made. They run inside QuickJS, in the realm of the program, but the program
// has no access to them.

export const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
export const { freeze, is, keys } = Object;
export const { isArray } = Array;
export const { stringify } = JSON;

/** Returns a method or a getter as a function whose first argument is the object. */
export function method(owner, name) {
  const { value, get } = getOwnPropertyDescriptor(owner, name);
  const held = value ?? get;
  return (self, ...given) => apply(held, self, given);
}

export const hasOwn = method(Object.prototype, 'hasOwnProperty');
export const slice = method(String.prototype, 'slice');
export const indexOf = method(String.prototype, 'indexOf');
export const matches = method(RegExp.prototype, 'test');
export const then = method(Promise.prototype, 'then');
export const isInstance = method(Function.prototype, Symbol.hasInstance);
export const isObject = (value) => typeof value === 'object' && value !== null;
