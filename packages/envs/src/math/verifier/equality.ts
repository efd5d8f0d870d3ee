// Decides whether two expressions are equal. The verdict "equal" needs a proof: their normal forms are the same, or the difference of two
// algebraic numbers is smaller than any that is not zero. Points in the plane of the variables refute, and never prove.
import { NoValueError } from '../fraction.js';
import { Algebra } from './algebra.js';
import { isZeroConstant } from './algebraic-constant.js';
import { approximate, type Point } from './approximate.js';
import { isDefined, negative, plus, size, type Ball } from './ball.js';
import { normalForm } from './normal-form.js';
import { binary, childrenOf, rationalValue, someNode, variablesOf, type Tree } from './tree.js';
import { Work } from './work.js';

/**
 * Variables are real, and an answer has the reference's value wherever the reference has a real one: `\ln x^2` is not `2 \ln x`,
 * which has no value for x < 0, and `2 \ln x` may be given as `\ln x^2`. Single points without a value are not looked for.
 *
 * @returns false also where it cannot be decided
 */
export const isEqual = (given: Tree, reference: Tree, work = new Work()): boolean =>
  decided(() => isProvenEqual(given, reference, work));

function isProvenEqual(given: Tree, reference: Tree, work: Work): boolean {
  const [a, b] = [rationalValue(given), rationalValue(reference)];
  if (a !== null && b !== null) return a.equals(b);
  if (JSON.stringify(given, written) === JSON.stringify(reference, written)) return true;
  work.spend((sizeOf(given) + sizeOf(reference)) * 2);
  const points = pointsFor(new Set([...variablesOf(given), ...variablesOf(reference)]));
  if (!agreesAt(points, given, reference)) return false;
  return isSameForm(given, reference, work) || isSameConstant(given, reference, work);
}

const sizeOf = (tree: Tree): number => childrenOf(tree).reduce((sum, child) => sum + sizeOf(child), 1);

/** Fractions are objects of big integers. */
const written = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

function isSameForm(given: Tree, reference: Tree, work: Work): boolean {
  return decided(() => {
    const algebra = new Algebra(work);
    return algebra.equal(normalForm(reference, algebra), normalForm(given, algebra));
  });
}

function isSameConstant(given: Tree, reference: Tree, work: Work): boolean {
  if (variablesOf(given).size > 0 || variablesOf(reference).size > 0) return false;
  return decided(() => isZeroConstant(binary(given, '-', reference), work));
}

/** False also where nothing can be decided. */
export function decided(decide: () => boolean): boolean {
  try {
    return decide();
  } catch (error) {
    if (error instanceof NoValueError) return false;
    throw error;
  }
}

type Values = Point['variable'];

/** Points of several sizes, without relations between them. */
const MAGNITUDES = [0.7390851, 1.3247179, 2.2360898, 0.0671433, 3.8392867, 7.6854521, 0.4159656, 41.3598857, 1.0173924];
const FAR = 1234.5678901;

/** Every choice of signs of up to four variables, at two sizes, and some points far away. */
function pointsFor(variables: ReadonlySet<string>): Values[] {
  const names = [...variables];
  if (names.length === 0) return [() => NaN];
  const signs = 2 ** Math.min(names.length, 4);
  const points = Array.from({ length: Math.max(2 * signs, 12) }, (_, point): Values => {
    return (name) => {
      const index = names.indexOf(name);
      const sign = (point >> (index % 4)) % 2 === 0 ? 1 : -1;
      return sign * (MAGNITUDES[(point + 4 * index) % MAGNITUDES.length] + index / 97);
    };
  });
  return [...points, (name) => FAR + 3 * names.indexOf(name), (name) => -FAR - 5 * names.indexOf(name)];
}

function agreesAt(points: readonly Values[], given: Tree, reference: Tree): boolean {
  const hasImaginary = [given, reference].some((tree) =>
    someNode(tree, (node) => node.type === 'constant' && node.name === 'i'),
  );
  const agreement = (isComplex: boolean): boolean | null => {
    const values = points.map((variable) =>
      [given, reference].map((tree) => approximate(tree, { variable, isComplex })),
    );
    const where = values.filter(([, right]) => isDefined(right));
    return where.length === 0 ? null : where.every(([value, right]) => isNear(value, right));
  };
  // A reference without a real value anywhere is compared in the complex plane.
  return (hasImaginary ? null : agreement(false)) ?? agreement(true) ?? true;
}

function isNear(a: Ball, b: Ball): boolean {
  const difference = plus(a, negative(b));
  return isDefined(a) && size(difference) <= difference.error * 4 + Number.MIN_VALUE;
}
