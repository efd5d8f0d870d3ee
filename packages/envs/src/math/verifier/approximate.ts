// The value of an expression at a point, with a bound on its error. It refutes an equality and never proves one.
import * as balls from './ball.js';
import type { Ball } from './ball.js';
import type { Tree } from './tree.js';

export interface Point {
  /** Values of variables, real. */
  variable: (name: string) => number;
  /** Whether a root or a logarithm of a negative number has a value. */
  isComplex: boolean;
}

export function approximate(tree: Tree, point: Point): Ball {
  const value = valueAt(tree, point);
  return point.isComplex || balls.isReal(value) ? value : balls.UNDEFINED;
}

function valueAt(tree: Tree, point: Point): Ball {
  const value = (inner: Tree) => approximate(inner, point);
  switch (tree.type) {
    case 'number':
      return balls.ball(tree.value.toNumber());
    case 'variable':
      return balls.ball(point.variable(tree.name));
    case 'constant':
      return tree.name === 'i' ? balls.ball(0, 1) : balls.ball(tree.name === 'e' ? Math.E : Math.PI);
    case 'negative':
      return balls.negative(value(tree.of));
    case 'group':
      return value(tree.of);
    case 'binary':
      return operated(tree, value);
    case 'call':
      return functions[tree.name]?.(...tree.arguments.map(value)) ?? balls.UNKNOWN;
    case 'application':
      return balls.UNKNOWN;
  }
}

function operated({ operator, left, right }: Extract<Tree, { type: 'binary' }>, value: (tree: Tree) => Ball): Ball {
  const [a, b] = [value(left), value(right)];
  if (operator === '+') return balls.plus(a, b);
  if (operator === '-') return balls.plus(a, balls.negative(b));
  if (operator === '*') return balls.times(a, b);
  if (operator === '/') return balls.over(a, b);
  const exponent = fractionOf(right);
  return exponent === null ? balls.power(a, b) : balls.rationalPower(a, exponent.n, exponent.d);
}

/** An exponent that is written as a fraction decides which root is meant. */
function fractionOf(tree: Tree): { n: number; d: number } | null {
  if (tree.type === 'group') return fractionOf(tree.of);
  if (tree.type === 'number') return parts(Number(tree.value.numerator), Number(tree.value.denominator));
  const inner = tree.type === 'negative' ? fractionOf(tree.of) : null;
  if (inner !== null) return parts(-inner.n, inner.d);
  if (tree.type !== 'binary' || tree.operator !== '/') return null;
  const [above, below] = [fractionOf(tree.left), fractionOf(tree.right)];
  if (above === null || below === null || above.d !== 1 || below.d !== 1 || below.n === 0) return null;
  return parts(above.n, below.n);
}

function parts(n: number, d: number): { n: number; d: number } | null {
  if (Math.abs(n) > 1e6 || Math.abs(d) > 1e6) return null;
  let [a, b] = [Math.abs(n), Math.abs(d)];
  while (b !== 0) [a, b] = [b, a % b];
  return { n: (Math.sign(d) * n) / a, d: Math.abs(d) / a };
}

type Function = (...values: Ball[]) => Ball;

const I = balls.ball(0, 1);
const HALF = balls.ball(0.5);

const halfSum = (x: Ball, sign: 1 | -1): Ball => {
  const [up, down] = [balls.exponential(x), balls.exponential(balls.negative(x))];
  return balls.times(HALF, balls.plus(up, sign === 1 ? down : balls.negative(down)));
};

const cos: Function = (x) => halfSum(balls.times(I, x), 1);
const sin: Function = (x) => balls.over(halfSum(balls.times(I, x), -1), I);
const sinh: Function = (x) => halfSum(x, -1);
const cosh: Function = (x) => halfSum(x, 1);

const ratio =
  (above: Function, below: Function): Function =>
  (x) =>
    balls.over(above(x), below(x));

const one: Function = () => balls.ball(1);
const atInverse =
  (of: Function): Function =>
  (x) =>
    of(balls.over(balls.ball(1), x));

const steepNearEnds = (x: number) => 2 / Math.sqrt(Math.max(1 - x * x, 1e-300));
const arcsin: Function = balls.realFunction(Math.asin, steepNearEnds);
const arccos: Function = balls.realFunction(Math.acos, steepNearEnds);
const arctan: Function = balls.realFunction(Math.atan, () => 1);

const step = (round: (x: number) => number): Function => balls.realFunction(round, () => Infinity);

const functions: Readonly<Record<string, Function>> = {
  exp: balls.exponential,
  ln: balls.logarithm,
  abs: balls.absolute,
  log: (base, x) => balls.over(balls.logarithm(x), balls.logarithm(base)),
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
  arccos,
  arctan,
  arcsec: atInverse(arccos),
  arccsc: atInverse(arcsin),
  arccot: (x) => balls.plus(balls.ball(Math.PI / 2), balls.negative(arctan(x))),
  floor: step(Math.floor),
  ceil: step(Math.ceil),
};

function rootOf(of: Ball, degree: Ball): Ball {
  const isSmall = Number.isInteger(degree.re) && degree.re > 0 && degree.re < 1e6;
  return isSmall ? balls.rationalPower(of, 1, degree.re) : balls.power(of, balls.over(balls.ball(1), degree));
}
