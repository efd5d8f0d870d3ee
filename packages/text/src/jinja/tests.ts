// Implements Jinja's tests, which templates write as `value is NAME`.
import { arithmetic } from './arithmetic.js';
import { isFilter } from './filters.js';
import { textOf } from './printing.js';
import { TemplateError } from './template-error.js';
import {
  compare,
  contains,
  Callable,
  equals,
  isFloat,
  Generator,
  numberOf,
  stringOf,
  Tuple,
  typeName,
  Undefined,
  View,
  type Value,
} from './values.js';

type Test = (value: Value, other: Value) => boolean;

const isInteger = (value: Value) => typeName(value) === 'int';

/** Each test by name: the number of its arguments, and its function. */
const tests: Record<string, readonly [count: 0 | 1, test: Test]> = {
  boolean: [0, (value) => typeof value === 'boolean'],
  callable: [0, (value) => value instanceof Callable || value instanceof Undefined],
  defined: [0, (value) => !(value instanceof Undefined)],
  divisibleby: [1, (value, by) => remainder(value, by) === 0],
  eq: [1, equals],
  escaped: [0, () => false],
  even: [0, (value) => remainder(value, 2) === 0],
  false: [0, (value) => value === false],
  filter: [0, (value) => isFilter(stringOf(value, 'a filter'))],
  float: [0, isFloat],
  ge: [1, (value, other) => compare(value, other) >= 0],
  gt: [1, (value, other) => compare(value, other) > 0],
  in: [1, (value, container) => contains(container, value)],
  integer: [0, isInteger],
  iterable: [0, (value) => isSequence(value) || value instanceof View || value instanceof Generator],
  le: [1, (value, other) => compare(value, other) <= 0],
  lower: [0, (value) => cased(value, (text) => text.toLowerCase())],
  lt: [1, (value, other) => compare(value, other) < 0],
  mapping: [0, (value) => value instanceof Map],
  ne: [1, (value, other) => !equals(value, other)],
  none: [0, (value) => value === null],
  number: [0, (value) => numberOf(value) !== undefined],
  odd: [0, (value) => remainder(value, 2) === 1],
  sameas: [1, (value, other) => value === other],
  sequence: [0, isSequence],
  string: [0, (value) => typeof value === 'string'],
  test: [0, (value) => Object.hasOwn(tests, stringOf(value, 'a test'))],
  true: [0, (value) => value === true],
  undefined: [0, (value) => value instanceof Undefined],
  upper: [0, (value) => cased(value, (text) => text.toUpperCase())],
};
const ALIASES = {
  '==': 'eq',
  equalto: 'eq',
  '!=': 'ne',
  '>': 'gt',
  greaterthan: 'gt',
  '>=': 'ge',
  '<': 'lt',
  lessthan: 'lt',
  '<=': 'le',
} as const;
for (const [alias, name] of Object.entries(ALIASES)) tests[alias] = tests[name];

export function applyTest(name: string, value: Value, args: readonly Value[]): boolean {
  if (!Object.hasOwn(tests, name)) throw new TemplateError(`there is no test '${name}'`);
  const [count, test] = tests[name];
  if (args.length !== count) throw new TemplateError(`the test ${name} takes ${count} arguments, not ${args.length}`);
  return test(value, args[0]);
}

const remainder = (value: Value, by: Value): number | undefined => numberOf(arithmetic('%', value, by));

/** Returns whether a value has a length and elements by key, which is Jinja's test `sequence`; an undefined value has both. */
function isSequence(value: Value): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return true;
  return value instanceof Map || value instanceof Tuple || value instanceof Undefined;
}

function cased(value: Value, change: (text: string) => string): boolean {
  const text = textOf(value);
  return /[\p{Ll}\p{Lu}\p{Lt}]/u.test(text) && text === change(text);
}
