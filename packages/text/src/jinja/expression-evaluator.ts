// Evaluates the expressions of a parsed Jinja template (expression-parser.ts) to values.
import { arithmetic, joinedTexts } from './arithmetic.js';
import type { Named } from './filter.js';
import { applyFilter } from './filters.js';
import { attributeOf, itemOf, sliceOf } from './members.js';
import { textOf } from './printing.js';
import type { Scope } from './scope.js';
import type { Arguments, Expression, FilterCall } from './syntax.js';
import { TemplateError } from './template-error.js';
import { applyTest } from './tests.js';
import {
  Attributes,
  Callable,
  compare,
  contains,
  describe,
  equals,
  floatOf,
  isTrue,
  iterate,
  Tuple,
  Undefined,
  type Value,
} from './values.js';
import { spend, spendItems, within } from './work.js';

const named: Named = {
  filter: (name, value, args, others) => applyFilter(name, value, args, others, named),
  test: applyTest,
};

export function evaluate(expression: Expression, scope: Scope): Value {
  spend(1);
  if (expression.type === 'constant') return expression.value;
  if (expression.type === 'name') return scope.get(expression.name);
  return within(() => valueOf(expression, scope));
}

type Computed = Exclude<Expression, { type: 'constant' | 'name' }>;

function valueOf(expression: Computed, scope: Scope): Value {
  const of = (inner: Expression) => evaluate(inner, scope);
  switch (expression.type) {
    case 'float':
      return floatOf(expression.value);
    case 'list':
      return expression.items.map(of);
    case 'tuple':
      return new Tuple(expression.items.map(of));
    case 'dict':
      return new Map(expression.entries.map(({ key, value }) => [of(key), of(value)]));
    case 'attribute':
      return attributeOf(of(expression.of), expression.name);
    case 'item':
      return itemOf(of(expression.of), of(expression.key));
    case 'slice':
      return sliceOf(of(expression.of), ...bounds(expression, of));
    case 'call':
      return called(of(expression.callee), expression.args, scope);
    case 'filter':
      return filtered(of(expression.of), expression, scope);
    case 'test':
      return applyTest(expression.name, of(expression.of), givenArguments(expression.args, scope)[0]);
    case 'condition':
      return conditional(expression, of);
    default:
      return operation(expression, of);
  }
}

type Of = (inner: Expression) => Value;
type Kind<Type> = Extract<Expression, { type: Type }>;

const bounds = ({ start, stop, step }: Kind<'slice'>, of: Of): [Value, Value, Value] => [
  start && of(start),
  stop && of(stop),
  step && of(step),
];

function conditional({ test, then, otherwise }: Kind<'condition'>, of: Of): Value {
  if (isTrue(of(test))) return of(then);
  return otherwise === null ? new Undefined('the condition is false and there is no else') : of(otherwise);
}

type Operation = Kind<'not' | 'negative' | 'positive' | 'and' | 'or' | 'arithmetic' | 'concatenation' | 'comparison'>;

function operation(expression: Operation, of: Of): Value {
  switch (expression.type) {
    case 'not':
      return !isTrue(of(expression.of));
    case 'negative':
      return arithmetic('*', of(expression.of), -1);
    case 'positive':
      return arithmetic('+', of(expression.of), 0);
    case 'and': {
      const left = of(expression.left);
      return isTrue(left) ? of(expression.right) : left;
    }
    case 'or': {
      const left = of(expression.left);
      return isTrue(left) ? left : of(expression.right);
    }
    case 'arithmetic':
      return arithmetic(expression.operator, of(expression.left), of(expression.right));
    case 'concatenation':
      return expression.parts.map((part) => textOf(of(part))).reduce(joinedTexts);
    default:
      return comparison(expression, of);
  }
}

/** Evaluates `a < b < c` as in Python: each pair of neighbours in order, up to the first pair that does not fulfil its operator. */
function comparison({ first, rest }: Kind<'comparison'>, of: Of): boolean {
  let left = of(first);
  for (const { operator, operand } of rest) {
    const right = of(operand);
    if (!holds(operator, left, right)) return false;
    left = right;
  }
  return true;
}

/** Returns whether two values fulfil a comparison operator, `in` and `not in` included. */
function holds(operator: string, left: Value, right: Value): boolean {
  switch (operator) {
    case '==':
      return equals(left, right);
    case '!=':
      return !equals(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    default:
      return compare(left, right) >= 0;
  }
}

export function filtered(value: Value, { name, args, line }: FilterCall, scope: Scope): Value {
  try {
    return applyFilter(name, value, ...givenArguments(args, scope), named);
  } catch (error) {
    throw withLine(error, line);
  }
}

/** Returns the error with the line of the template, if it has no line yet. */
export const withLine = (error: unknown, line: number): unknown =>
  error instanceof TemplateError && error.line === undefined ? error.at(line) : error;

/** Calls a function of a template, such as a macro or a method. `more`: named arguments in addition to those of the call. */
export function called(
  callee: Value,
  args: Arguments,
  scope: Scope,
  more: ReadonlyMap<string, Value> = new Map(),
): Value {
  const [positional, byName] = givenArguments(args, scope);
  for (const [name, value] of more) byName.set(name, value);
  if (callee instanceof Callable) return callee.call(positional, byName);
  if (callee instanceof Attributes && callee.call) return callee.call(positional);
  throw new TemplateError(`${describe(callee)} cannot be called`);
}

/** Evaluates the arguments of a call, those of `*args` and `**kwargs` included. */
function givenArguments(
  { positional, named: byName, spread, namedSpread }: Arguments,
  scope: Scope,
): [Value[], Map<string, Value>] {
  const values = positional.map((arg) => evaluate(arg, scope));
  if (spread !== null) for (const value of iterate(evaluate(spread, scope))) values.push(value);
  const names = new Map(byName.map(({ name, value }) => [name, evaluate(value, scope)]));
  const further = namedSpread === null ? null : evaluate(namedSpread, scope);
  if (further instanceof Map) spendItems(further.size);
  if (further instanceof Map) for (const [name, value] of further) names.set(textOf(name), value);
  else if (further !== null) throw new TemplateError(`** needs a dict, not ${describe(further)}`);
  return [values, names];
}
