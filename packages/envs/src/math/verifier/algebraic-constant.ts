// Decides whether an expression in radicals, i and roots of unity is zero. A number of degree D whose conjugates are bounded by u above and
// l below is zero or at least 1/(u^(D−1)·l) large (Burnikel, Fleischer, Mehlhorn, Schirra 2000, "A strong and easily computable
// separation bound for arithmetic expressions involving radicals"). It is calculated more exactly than that.
import { Fraction, gcd, NoValueError } from '../fraction.js';
import { cosineAndSine, turnsOf } from './angles.js';
import { integerRoot } from './factors.js';
import { childrenOf, rationalValue, ungrouped, type Tree } from './tree.js';
import type { Work } from './work.js';

/** More bits are not calculated. */
const MAX_PRECISION = 6000;

/** A number in fixed point with a bound on its error in units of the last place. */
interface Fixed {
  re: bigint;
  im: bigint;
  error: bigint;
}

/** Logarithms to base 2 of the bounds u and l. */
interface Bound {
  above: number;
  below: number;
}

/** @throws {NoValueError} if it is not such an expression, or would take too many digits */
export function isZeroConstant(tree: Tree, work: Work): boolean {
  const radicals = new Map<string, number>();
  const turns = commonTurns(tree);
  if (turns > 1n) radicals.set('unity', totient(Number(4n * turns)));
  const { above, below } = boundOf(tree, radicals);
  const degree = [...radicals.values()].reduce((product, one) => product * one, 1);
  const smallest = Math.ceil((degree - 1) * above + below);
  if (!(smallest < MAX_PRECISION)) throw new NoValueError('too many digits');
  const precision = smallest + 64 + Math.ceil(2 * above);
  work.spend((radicals.size + 1) * (precision / 64) ** 2);
  const { re, im, error } = fixedValue(tree, precision);
  const largest = (magnitude(re) > magnitude(im) ? magnitude(re) : magnitude(im)) + 2n * error;
  return error < 1n << 24n && largest < 1n << BigInt(precision - smallest - 1);
}

/** Sines and cosines are in the field of one root of unity: with i of order 4·(the common denominator of their angles, in π). */
function commonTurns(tree: Tree): bigint {
  const own = tree.type === 'call' && isTrigonometric(tree.name) ? (turnsOf(tree.arguments[0])?.denominator ?? 1n) : 1n;
  const common = childrenOf(tree).reduce((multiple, child) => leastMultiple(multiple, commonTurns(child)), own);
  if (common > 180n) throw new NoValueError('too many roots of unity');
  return common;
}

const leastMultiple = (a: bigint, b: bigint): bigint => (a * b) / gcd(a, b);
const isTrigonometric = (name: string) => ['sin', 'cos', 'tan'].includes(name);

/** How many numbers below n have no divisor in common with it: the degree of a root of unity of order n. */
function totient(n: number): number {
  let count = 0;
  for (let k = 1; k <= n; k++) if (gcd(BigInt(k), BigInt(n)) === 1n) count++;
  return count;
}

const magnitude = (n: bigint) => (n < 0n ? -n : n);
const log2 = (n: bigint) => magnitude(n).toString(2).length;

function boundOf(tree: Tree, radicals: Map<string, number>): Bound {
  const value = rationalValue(tree);
  if (value !== null) return { above: log2(value.numerator), below: log2(value.denominator) };
  if (tree.type === 'negative' || tree.type === 'group') return boundOf(tree.of, radicals);
  if (tree.type === 'constant' && tree.name === 'i') return radical('i', 2, radicals, { above: 0, below: 0 });
  const angle = angleOf(tree);
  if (angle !== null) return angle.name === 'tan' ? { above: 2, below: 2 } : { above: 1, below: 1 };
  const root = rootOf(tree);
  if (root !== null) {
    const inner = boundOf(root.of, radicals);
    // The root of U/L is the root of U·L^(k−1), over L.
    const scaled = {
      above: Math.ceil((inner.above + (root.degree - 1) * inner.below) / root.degree),
      below: inner.below,
    };
    return raised(radical(keyOf(root), root.degree, radicals, scaled), root.exponent);
  }
  if (tree.type !== 'binary') throw new NoValueError('no radical');
  const [left, right] = [boundOf(tree.left, radicals), boundOf(tree.right, radicals)];
  return combined(tree.operator, left, right);
}

function radical(key: string, degree: number, radicals: Map<string, number>, bound: Bound): Bound {
  radicals.set(key, degree);
  return bound;
}

const raised = ({ above, below }: Bound, exponent: number): Bound =>
  exponent >= 0
    ? { above: above * exponent, below: below * exponent }
    : { above: -below * exponent, below: -above * exponent };

function combined(operator: string, a: Bound, b: Bound): Bound {
  if (operator === '*') return { above: a.above + b.above, below: a.below + b.below };
  if (operator === '/') return { above: a.above + b.below, below: a.below + b.above };
  if (operator === '^') throw new NoValueError('no rational exponent');
  return { above: 1 + Math.max(a.above + b.below, a.below + b.above), below: a.below + b.below };
}

/** The sine, cosine or tangent of a rational multiple of π; null where it is none. */
function angleOf(tree: Tree): { name: string; turns: Fraction } | null {
  const turns = tree.type === 'call' && isTrigonometric(tree.name) ? turnsOf(tree.arguments[0]) : null;
  return turns && { name: (tree as Extract<Tree, { type: 'call' }>).name, turns };
}

interface Root {
  of: Tree;
  degree: number;
  exponent: number;
}

const keyOf = ({ of, degree }: Root) =>
  `${degree}:${JSON.stringify(of, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`;

/** u^(a/b) as the b-th root of u to the power a; null where it is none. */
function rootOf(tree: Tree): Root | null {
  if (tree.type === 'call' && tree.name === 'root') return rootWith(tree.arguments[0], inverse(tree.arguments[1]));
  if (tree.type !== 'binary' || tree.operator !== '^') return null;
  return rootWith(tree.left, rationalValue(tree.right));
}

function inverse(tree: Tree): Fraction | null {
  const value = rationalValue(tree);
  return value === null || value.numerator === 0n ? null : Fraction.of(1).over(value);
}

function rootWith(of: Tree, exponent: Fraction | null): Root | null {
  if (exponent === null || exponent.denominator > 12n || magnitude(exponent.numerator) > 60n) return null;
  return { of: ungrouped(of), degree: Number(exponent.denominator), exponent: Number(exponent.numerator) };
}

function fixedValue(tree: Tree, precision: number): Fixed {
  const value = rationalValue(tree);
  if (value !== null) return { re: (value.numerator << BigInt(precision)) / value.denominator, im: 0n, error: 1n };
  if (tree.type === 'group') return fixedValue(tree.of, precision);
  if (tree.type === 'constant') return { re: 0n, im: 1n << BigInt(precision), error: 0n };
  if (tree.type === 'negative') return negated(fixedValue(tree.of, precision));
  const angle = angleOf(tree);
  if (angle !== null) return trigonometric(angle.name, angle.turns, precision);
  const root = rootOf(tree);
  if (root !== null) {
    const inner = rooted(fixedValue(root.of, precision), root.degree, precision);
    return powered(inner, root.exponent, precision);
  }
  const { operator, left, right } = tree as Extract<Tree, { type: 'binary' }>;
  const [a, b] = [fixedValue(left, precision), fixedValue(right, precision)];
  if (operator === '*') return product(a, b, precision);
  if (operator === '/') return product(a, reciprocal(b, precision), precision);
  const other = operator === '-' ? negated(b) : b;
  return { re: a.re + other.re, im: a.im + other.im, error: a.error + b.error };
}

function trigonometric(name: string, turns: Fraction, precision: number): Fixed {
  const { cosine, sine } = cosineAndSine(turns, precision);
  const [cos, sin] = [cosine, sine].map((re): Fixed => ({ re, im: 0n, error: 2n }));
  if (name === 'tan') return product(sin, reciprocal(cos, precision), precision);
  return name === 'cos' ? cos : sin;
}

const negated = ({ re, im, error }: Fixed): Fixed => ({ re: -re, im: -im, error });
const sizeOf = ({ re, im }: Fixed) => magnitude(re) + magnitude(im);

function product(a: Fixed, b: Fixed, precision: number): Fixed {
  const shift = BigInt(precision);
  const error = ((sizeOf(a) * b.error + sizeOf(b) * a.error + a.error * b.error) >> shift) + 3n;
  return { re: (a.re * b.re - a.im * b.im) >> shift, im: (a.re * b.im + a.im * b.re) >> shift, error };
}

/** @throws {NoValueError} near 0 */
function reciprocal(a: Fixed, precision: number): Fixed {
  const square = a.re * a.re + a.im * a.im;
  const shift = BigInt(2 * precision);
  const size = integerRoot(square, 2);
  if (size <= 2n * a.error) throw new NoValueError('division by zero');
  const error = ((a.error << shift) * 2n) / square + 3n;
  return { re: (a.re << shift) / square, im: -(a.im << shift) / square, error };
}

function powered(base: Fixed, exponent: number, precision: number): Fixed {
  let power: Fixed = { re: 1n << BigInt(precision), im: 0n, error: 0n };
  for (let k = 0; k < Math.abs(exponent); k++) power = product(power, base, precision);
  return exponent < 0 ? reciprocal(power, precision) : power;
}

/** The real root of a real number, or i times that of a negative one; of complex numbers the principal square root. */
function rooted(of: Fixed, degree: number, precision: number): Fixed {
  if (magnitude(of.im) > of.error || (of.im !== 0n && of.re < 0n)) return complexRoot(of, degree, precision);
  const root = realRoot(magnitude(of.re), of.error, degree, precision);
  if (of.re >= 0n) return { re: root.value, im: 0n, error: root.error };
  if (degree % 2 === 1) return { re: -root.value, im: 0n, error: root.error };
  if (degree !== 2) throw new NoValueError('a root of a negative number');
  return { re: 0n, im: root.value, error: root.error };
}

function realRoot(value: bigint, error: bigint, degree: number, precision: number): { value: bigint; error: bigint } {
  const shift = BigInt(precision) * BigInt(degree - 1);
  const root = integerRoot(value << shift, degree);
  if (root === 0n || value <= 2n * error) {
    if (value === 0n && error <= 1n) return { value: 0n, error: integerRoot((error + 1n) << shift, degree) };
    throw new NoValueError('a root near zero');
  }
  // The slope of the root is root/(degree · value).
  return { value: root, error: (error * root * 2n) / value + 2n };
}

/** √(a + bi) = √((r + a)/2) ± i·√((r − a)/2). */
function complexRoot(of: Fixed, degree: number, precision: number): Fixed {
  if (degree !== 2) throw new NoValueError('a root of a complex number');
  const length = integerRoot(of.re * of.re + of.im * of.im, 2);
  const re = realRoot((length + of.re) / 2n, of.error + 2n, 2, precision);
  const im = realRoot((length - of.re) / 2n, of.error + 2n, 2, precision);
  const error = re.error > im.error ? re.error : im.error;
  return { re: re.value, im: of.im < 0n ? -im.value : im.value, error };
}
