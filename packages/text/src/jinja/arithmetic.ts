// Computes the operators of Jinja expressions as Python does: arithmetic on ints and floats, and `+`, `*` and `%` on texts and
// lists.
import { formatPercent } from './formatting.js';
import { TemplateError } from './template-error.js';
import { describe, floatOf, isFloat, numberOf, Tuple, type Value } from './values.js';
import { checkLength, spendItems, spendLength } from './work.js';

export function arithmetic(operator: string, left: Value, right: Value): Value {
  const number = numeric(operator, left, right);
  if (number !== undefined) return number;
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return joinedTexts(left, right);
    if (Array.isArray(left) && Array.isArray(right)) return joinedLists(left, right);
    if (left instanceof Tuple && right instanceof Tuple) return new Tuple(joinedLists(left.items, right.items));
  }
  if (operator === '*') return repeated(left, right) ?? repeated(right, left) ?? fail(operator, left, right);
  if (operator === '%' && typeof left === 'string') return formatPercent(left, right);
  return fail(operator, left, right);
}

export function joinedTexts(left: string, right: string): string {
  checkLength(left.length + right.length);
  return left + right;
}

function joinedLists(left: readonly Value[], right: readonly Value[]): Value[] {
  spendItems(left.length + right.length);
  return [...left, ...right];
}

function fail(operator: string, left: Value, right: Value): never {
  throw new TemplateError(`${describe(left)} ${operator} ${describe(right)} has no meaning`);
}

function repeated(value: Value, count: Value): Value | undefined {
  const times = typeof count === 'boolean' ? Number(count) : count;
  if (typeof times !== 'number' || !Number.isInteger(times)) return undefined;
  if (typeof value === 'string') return repeatedText(value, times);
  const items = Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined;
  if (items === undefined) return undefined;
  spendItems(items.length * Math.max(0, times));
  const rounds = items.length === 0 ? 0 : Math.max(0, times);
  const all = Array.from({ length: rounds }, () => items).flatMap((each) => each);
  return Array.isArray(value) ? all : new Tuple(all);
}

/** Repeats a text; a negative count gives the empty text, as in Python. */
export function repeatedText(text: string, times: number): string {
  const count = text === '' ? 0 : Math.max(0, times);
  spendLength(text.length * count);
  return text.repeat(count);
}

function numeric(operator: string, left: Value, right: Value): Value | undefined {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === undefined || b === undefined) return undefined;
  if (['/', '//', '%'].includes(operator) && b === 0) throw new TemplateError('division by zero');
  const isFloating = isFloat(left) || isFloat(right) || operator === '/' || (operator === '**' && b < 0);
  const result = computed(operator, a, b);
  return isFloating ? floatOf(result) : result;
}

function computed(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '//':
      return Math.floor(a / b);
    case '%':
      return a - b * Math.floor(a / b);
    default:
      return a ** b;
  }
}
