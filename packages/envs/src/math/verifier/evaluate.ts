// Computes the value of an expression at a point, which gives each variable a number.
import { UNDEFINED, UNKNOWN, isKnown, isReal, type Arithmetic, type Complex } from './complex.js';
import { rationalValue, ungrouped, type Tree } from './tree.js';

export interface Point {
  arithmetic: Arithmetic;
  /** Returns the real number that the point gives to a variable. */
  variable: (name: string) => number;
  /** Whether roots and logarithms of negative numbers have complex values, instead of being undefined. */
  isComplex: boolean;
}

/** Computes the value; undefined if a subexpression has no value, or, unless `isComplex`, no real one. */
export function evaluate(tree: Tree, point: Point): Complex {
  const value = valueAt(tree, point);
  return point.isComplex || isReal(value) ? value : UNDEFINED;
}

function valueAt(tree: Tree, point: Point): Complex {
  const { arithmetic } = point;
  const value = (inner: Tree) => evaluate(inner, point);
  switch (tree.type) {
    case 'number':
      return arithmetic.number(tree.value);
    case 'variable':
      return arithmetic.number(point.variable(tree.name));
    case 'constant':
      return constant(tree.name, arithmetic);
    case 'negative':
      return arithmetic.negative(value(tree.of));
    case 'group':
      return value(tree.of);
    case 'binary':
      return operated(tree, arithmetic, value);
    case 'call':
      return functions[tree.name](arithmetic, ...tree.arguments.map(value));
    case 'application':
      return anyFunction(tree.name, arithmetic, tree.arguments.map(value));
  }
}

function constant(name: 'pi' | 'e' | 'i', arithmetic: Arithmetic): Complex {
  if (name === 'e') return arithmetic.exponential(arithmetic.number(1));
  return name === 'i' ? arithmetic.i() : arithmetic.pi;
}

function operated(
  { operator, left, right }: Extract<Tree, { type: 'binary' }>,
  arithmetic: Arithmetic,
  value: (tree: Tree) => Complex,
): Complex {
  if (operator === '+') return arithmetic.plus(value(left), value(right));
  if (operator === '-') return arithmetic.minus(value(left), value(right));
  if (operator === '*') return arithmetic.times(value(left), value(right));
  if (operator === '/') return arithmetic.over(value(left), value(right));
  const base = ungrouped(left);
  if (base.type === 'constant' && base.name === 'e') return arithmetic.exponential(value(right));
  const exponent = rationalValue(right);
  const [n, d] = [Number(exponent?.numerator ?? NaN), Number(exponent?.denominator ?? NaN)];
  // For a negative base, the fraction n/d of the exponent determines which root is meant, such as the real cube root for 1/3.
  return Math.abs(n) <= 1e6 && d <= 1e6
    ? arithmetic.rationalPower(value(left), n, d)
    : arithmetic.power(value(left), value(right));
}

type Function = (arithmetic: Arithmetic, ...values: Complex[]) => Complex;

const cos: Function = (arithmetic, x) => arithmetic.cosine(x);
const sin: Function = (arithmetic, x) => arithmetic.sine(x);
const sinh: Function = (arithmetic, x) => arithmetic.hyperbolicSine(x);
const cosh: Function = (arithmetic, x) => arithmetic.hyperbolicCosine(x);
const arcsin: Function = (arithmetic, x) => arithmetic.arcSine(x);
const arctan: Function = (arithmetic, x) => arithmetic.arcTangent(x);
const floor: Function = (arithmetic, x) => arithmetic.floor(x);

const ratio =
  (above: Function, below: Function): Function =>
  (arithmetic, x) =>
    arithmetic.over(above(arithmetic, x), below(arithmetic, x));

const one: Function = (arithmetic) => arithmetic.number(1);

const atInverse =
  (of: Function): Function =>
  (arithmetic, x) =>
    of(arithmetic, arithmetic.over(arithmetic.number(1), x));

/** Returns the function π/2 − f(x) for a function f, such as arccos x = π/2 − arcsin x. */
const complement =
  (of: Function): Function =>
  (arithmetic, x) =>
    arithmetic.minus(arithmetic.times(arithmetic.number(0.5), arithmetic.pi), of(arithmetic, x));

const MAX_FACTORIAL = 500;

/** Computes x!. For other than integers, arbitrary values with x! = x · (x − 1)!, so that (n + 2)! equals n! (n + 1)(n + 2). */
const factorial: Function = (arithmetic, x) => {
  if (!isKnown(x) || x.re.abs().gt(MAX_FACTORIAL)) return UNKNOWN;
  const whole = arithmetic.floor(x);
  const count = whole.re.toNumber();
  const rest = arithmetic.minus(x, whole);
  const isWhole = arithmetic.textOf(rest) === '0,0';
  if (!isReal(x) || (isWhole && count < 0)) return UNDEFINED;
  let product = isWhole ? arithmetic.number(1) : anyFunction('!', arithmetic, [rest]);
  for (let k = 1; k <= count; k++) product = arithmetic.times(product, arithmetic.plus(rest, arithmetic.number(k)));
  for (let k = 0; k > count; k--) product = arithmetic.over(product, arithmetic.plus(rest, arithmetic.number(k)));
  return product;
};

const functions: Readonly<Record<string, Function>> = {
  exp: (arithmetic, x) => arithmetic.exponential(x),
  ln: (arithmetic, x) => arithmetic.logarithm(x),
  log: (arithmetic, base, x) => arithmetic.over(arithmetic.logarithm(x), arithmetic.logarithm(base)),
  abs: (arithmetic, x) => arithmetic.absolute(x),
  root: rootOf,
  sin,
  cos,
  tan: ratio(sin, cos),
  cot: ratio(cos, sin),
  sec: ratio(one, cos),
  csc: ratio(one, sin),
  sinh,
  cosh,
  tanh: ratio(sinh, cosh),
  arcsin,
  arccos: complement(arcsin),
  arctan,
  arccot: complement(arctan),
  arcsec: atInverse(complement(arcsin)),
  arccsc: atInverse(arcsin),
  floor,
  ceil: (arithmetic, x) => arithmetic.negative(arithmetic.floor(arithmetic.negative(x))),
  factorial,
  binomial: (arithmetic, n, k) => {
    const below = arithmetic.times(factorial(arithmetic, k), factorial(arithmetic, arithmetic.minus(n, k)));
    return arithmetic.over(factorial(arithmetic, n), below);
  },
};

function rootOf(arithmetic: Arithmetic, of: Complex, degree: Complex): Complex {
  const n = degree.re.toNumber();
  const isSmall = Number.isInteger(n) && n > 0 && n < 1e6;
  return isSmall
    ? arithmetic.rationalPower(of, 1, n)
    : arithmetic.power(of, arithmetic.over(arithmetic.number(1), degree));
}

/** Returns the value of an unknown function such as f: a number between 1 and 2 that depends only on its name and arguments. */
function anyFunction(name: string, arithmetic: Arithmetic, values: readonly Complex[]): Complex {
  if (values.some((value) => Number.isNaN(value.error))) return UNDEFINED;
  if (!values.every(isKnown)) return UNKNOWN;
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(`${name}(${values.map((value) => arithmetic.textOf(value)).join(';')})`))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return arithmetic.number(`1.${hash}`);
}
