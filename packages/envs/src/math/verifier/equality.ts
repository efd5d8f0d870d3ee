// Decides whether two expressions of answers are equal. Rational numbers are compared exactly. Other expressions are evaluated at
// several values of their variables, with so many digits that a rounded number does not equal the exact one.
import { maximum } from '@bowyer/core';
import { NoValueError } from '../fraction.js';
import { Arithmetic, isKnown, isZero, magnitude, type Complex } from './complex.js';
import { evaluate } from './evaluate.js';
import { childrenOf, rationalValue, someNode, variablesOf, type Tree } from './tree.js';
import { Work } from './work.js';

/** The number of decimal digits of a computation, in addition to the digits of the numbers in the expressions. */
const DIGITS = 45;

/** The largest number of digits of a number; expressions with longer ones are compared only if both are rational. */
const MAX_DIGITS = 300;

/** The number of decimal digits that two computed values must share to count as equal. */
const COMMON_DIGITS = 20;

/**
 * Returns whether two expressions are equal; false also if it cannot be decided. Variables are real. The answer must have the
 * reference's value wherever that is real, but may be defined elsewhere too: `\ln x^2` is no answer for `2 \ln x`, which is
 * undefined for x < 0, but `2 \ln x` is accepted for `\ln x^2`. Isolated undefined points are ignored.
 */
export const isEqual = (given: Tree, reference: Tree, work = new Work()): boolean =>
  decided(() => {
    const [a, b] = [rationalValue(given), rationalValue(reference)];
    if (a !== null && b !== null) return a.equals(b);
    if (JSON.stringify(given, written) === JSON.stringify(reference, written)) return true;
    return agree([given, reference], work, ([value, right]) => isNear(value, right)) ?? false;
  });

/** Converts the big integers of fractions to strings, as a replacer for JSON.stringify, which would throw for them. */
const written = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/**
 * Returns the sign of the real c ≠ 0 for which given = c · reference wherever the reference has a value; null if there is none.
 */
export function signOfRatio(given: Tree, reference: Tree, work: Work): 1 | -1 | null {
  let first: { value: Complex; right: Complex } | null = null;
  const isProportional = agree([given, reference], work, ([value, right], arithmetic) => {
    if (first !== null) return isNear(arithmetic.times(value, first.right), arithmetic.times(right, first.value));
    if (isZero(value) || isZero(right)) return false;
    first = { value, right };
    return true;
  });
  if (!isProportional || first === null) return null;
  const { value, right }: { value: Complex; right: Complex } = first;
  return value.re.gt(0) === right.re.gt(0) ? 1 : -1;
}

/** Returns the result of `decide`; also false if `decide` throws a NoValueError, since a value could not be computed. */
function decided(decide: () => boolean): boolean {
  try {
    return decide();
  } catch (error) {
    if (error instanceof NoValueError) return false;
    throw error;
  }
}

type Values = (name: string) => number;

/** The absolute values of variables in a comparison, without simple relations, so that expressions do not agree by chance. */
const MAGNITUDES = [0.7390851, 1.3247179, 2.2360898, 0.0671433, 3.8392867, 7.6854521, 0.4159656, 41.3598857, 1.0173924];
const FAR = 1234.5678901;

/**
 * Returns the points, which are values for all variables, at which two expressions are compared: all combinations of signs of up
 * to three variables, in two sizes, and two points with large values.
 */
function pointsFor(variables: ReadonlySet<string>): Values[] {
  const names = [...variables];
  if (names.length === 0) return [() => NaN];
  const signs = 2 ** Math.min(names.length, 3);
  const points = Array.from({ length: Math.max(2 * signs, 8) }, (_, point): Values => {
    return (name) => {
      const index = names.indexOf(name);
      const sign = (point >> (index % 3)) % 2 === 0 ? 1 : -1;
      return sign * (MAGNITUDES[(point + 4 * index) % MAGNITUDES.length] + index / 97);
    };
  });
  return [...points, (name) => FAR + 3 * names.indexOf(name), (name) => -FAR - 5 * names.indexOf(name)];
}

type Test = (values: readonly [given: Complex, reference: Complex], arithmetic: Arithmetic) => boolean | null;

/**
 * Applies a test at every point at which the reference has a real value; if there is none, at points with complex values. Returns
 * null if the test could not decide at any point.
 *
 * @param test returns null if it cannot decide at this point
 */
function agree(trees: readonly [given: Tree, reference: Tree], work: Work, test: Test): boolean | null {
  const digits = maximum(trees.map(digitsIn));
  if (digits > MAX_DIGITS) return null;
  const arithmetic = new Arithmetic(DIGITS + digits, work);
  const points = pointsFor(new Set(trees.flatMap((tree) => [...variablesOf(tree)])));
  const isImaginary = (node: Tree) => node.type === 'constant' && node.name === 'i';
  const agreement = (isComplex: boolean): boolean | null => {
    let outcome: boolean | null = null;
    for (const variable of points) {
      const [value, right] = trees.map((tree) => evaluate(tree, { arithmetic, variable, isComplex }));
      if (!isKnown(right)) continue;
      const here = Number.isNaN(value.error) ? false : test([value, right], arithmetic);
      if (here === false) return false;
      outcome = here ?? outcome;
    }
    return outcome;
  };
  return (trees.some((tree) => someNode(tree, isImaginary)) ? null : agreement(false)) ?? agreement(true);
}

/** Returns the number of digits of the longest numerator or denominator in an expression. */
function digitsIn(tree: Tree): number {
  const value = rationalValue(tree);
  const own = value === null ? 0 : Math.max(String(value.numerator).length, String(value.denominator).length);
  return maximum([own, ...childrenOf(tree).map(digitsIn)]);
}

function isNear(a: Complex, b: Complex): boolean | null {
  const error = Math.max(a.error, b.error) + 1;
  if (!(error < Math.max(magnitude(b), 0) - COMMON_DIGITS)) return null;
  const difference = { re: a.re.minus(b.re), im: a.im.minus(b.im), error };
  return isZero(difference);
}
