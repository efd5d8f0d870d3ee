// Represents the values of a Jinja template's expressions, and compares and measures them as Python does. None is null, int an
// integral number, str a string (measured in code points), list an array, dict a Map.
import { TemplateError } from './template-error.js';
import { checkNesting, spend, spendText } from './work.js';

export type Value =
  | null
  | boolean
  | number
  | string
  | Float
  | Undefined
  | Value[]
  | Tuple
  | Dict
  | View
  | Generator
  | Attributes
  | Callable;

export type Dict = Map<Value, Value>;

/** A number that prints differently: a float with an integral value (Python prints 2.0, not 2), or as written in JSON. */
export class Float {
  /** Makes a number. `written`: the number's text in JSON. */
  constructor(
    readonly value: number,
    readonly written?: string,
  ) {}

  /** Returns whether this is an integer. Then it is one that a plain number does not hold exactly. */
  get isInteger(): boolean {
    return this.written !== undefined && !/[.eE]/.test(this.written);
  }
}

/** The value of a name or key that does not exist (Jinja's Undefined). */
export class Undefined {
  constructor(readonly problem: string) {}
}

export class Tuple {
  constructor(readonly items: readonly Value[]) {}
}

/** The result of dict.keys(), dict.values() or dict.items(). */
export class View {
  constructor(
    readonly kind: string,
    readonly items: readonly Value[],
  ) {}
}

/** The result of filters such as `map`: it is true, has no length, and is empty after it was read. */
export class Generator {
  constructor(private items: readonly Value[]) {}

  take(): readonly Value[] {
    const { items } = this;
    this.items = [];
    return items;
  }
}

/** An object with attributes only: a namespace, or `loop`. */
export class Attributes {
  constructor(
    readonly values: Map<string, Value>,
    readonly isWritable: boolean,
    readonly call?: (args: readonly Value[]) => Value,
  ) {}
}

export class Callable {
  constructor(
    readonly name: string,
    readonly call: (args: readonly Value[], named: ReadonlyMap<string, Value>) => Value,
  ) {}
}

export function isTrue(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Map) return value.size > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Tuple || value instanceof View) return value.items.length > 0;
  return typeof value === 'object' ? true : Boolean(value) || Number.isNaN(value);
}

/** Returns the name of the value's class in Python. */
export function typeName(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (value instanceof Float) return value.isInteger ? 'int' : 'float';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  if (value instanceof View) return value.kind;
  if (value instanceof Callable) return 'function';
  return value.constructor.name.toLowerCase();
}

export const isFloat = (value: Value): boolean =>
  value instanceof Float ? !value.isInteger : typeof value === 'number' && !Number.isInteger(value);

/** Returns an int, float or bool as a number; undefined for anything else. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Float ? value.value : undefined;
}

export const floatOf = (value: number): Value => (Number.isInteger(value) ? new Float(value) : value);

/** Returns a value as an integer. If it is not one, it throws an error that begins with `what`. */
export function integerOf(value: Value, what: string): number {
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number)) return number;
  throw new TemplateError(`${what} must be an integer, not ${typeName(value)}`);
}

/** Returns a value that must be a string. If it is not one, it throws an error that begins with `what`. */
export function stringOf(value: Value, what: string): string {
  if (typeof value === 'string') return value;
  throw new TemplateError(`${what} must be a string, not ${describe(value)}`);
}

export const describe = (value: Value): string =>
  value instanceof Undefined ? `undefined (${value.problem})` : typeName(value);

export function equals(a: Value, b: Value, depth = 0): boolean {
  spend(1);
  checkNesting(depth);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x === y;
  if (typeof a === 'string') spendText(a);
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b, depth);
  if (a instanceof Tuple) return b instanceof Tuple && sameItems(a.items, b.items, depth);
  if (a instanceof Undefined) return b instanceof Undefined;
  if (!(a instanceof Map)) return a === b;
  if (!(b instanceof Map) || a.size !== b.size) return false;
  return [...a].every(([key, value]) => b.has(key) && equals(value, b.get(key)!, depth + 1));
}

const sameItems = (a: readonly Value[], b: readonly Value[], depth: number): boolean =>
  a.length === b.length && a.every((item, i) => equals(item, b[i], depth + 1));

/** Negative, 0 or positive for a < b, a = b or a > b. @throws {TemplateError} if Python cannot order them */
export function compare(a: Value, b: Value, depth = 0): number {
  spend(1);
  checkNesting(depth);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x - y;
  if (typeof a === 'string' && typeof b === 'string')
    return compareItems(iterate(a), iterate(b), (one, other) => compareCharacters(one as string, other as string));
  // Items of lists are ordered only if they are not equal, as in Python.
  const inner = (one: Value, other: Value) => (equals(one, other, depth + 1) ? 0 : compare(one, other, depth + 1));
  if (Array.isArray(a) && Array.isArray(b)) return compareItems(a, b, inner);
  if (a instanceof Tuple && b instanceof Tuple) return compareItems(a.items, b.items, inner);
  throw new TemplateError(`cannot order ${describe(a)} and ${describe(b)}`);
}

const compareCharacters = (a: string, b: string): number => a.codePointAt(0)! - b.codePointAt(0)!;

function compareItems<T>(a: readonly T[], b: readonly T[], order: (a: T, b: T) => number): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = order(a[i], b[i]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The items of a loop. @throws {TemplateError} if Python cannot iterate over the value */
export function iterate(value: Value): readonly Value[] {
  if (typeof value === 'string') spend(value.length);
  const items = itemsOfValue(value);
  spend(items.length);
  return items;
}

function itemsOfValue(value: Value): readonly Value[] {
  if (typeof value === 'string') return Array.from(value);
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys()];
  if (value instanceof Tuple || value instanceof View) return value.items;
  if (value instanceof Generator) return value.take();
  if (value instanceof Undefined) return [];
  throw new TemplateError(`${typeName(value)} cannot be iterated over`);
}

export function lengthOf(value: Value): number {
  if (value instanceof Map) return value.size;
  if (Array.isArray(value)) return value.length;
  if (value !== null && typeof value === 'object' && value instanceof Generator)
    throw new TemplateError('a generator has no length; use the filter list first');
  return iterate(value).length;
}

export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    spendText(container);
    return container.includes(stringOf(item, 'the left side of in'));
  }
  if (container instanceof Map) return container.has(item);
  return iterate(container).some((each) => equals(each, item));
}
