// Elementary functions in normal form. Trigonometric and hyperbolic functions are written in exponentials, whose exponents are then
// added, so that their identities need no rules; a logarithm is taken of each factor.
import { Fraction, NoValueError } from '../fraction.js';
import { fromPolynomial, valueOf, type Algebra } from './algebra.js';
import { IMAGINARY, PI, type Quotient } from './atoms.js';
import { contentOf, proportion } from './content.js';
import { perfectPower } from './divisors.js';
import { factorsOf } from './factors.js';
import { lowest, polynomialOf, singleTerm, type Polynomial, type Term } from './polynomial.js';

type Function = (algebra: Algebra, ...values: Quotient[]) => Quotient;

export const exponential: Function = (algebra, of) => {
  const exponent = algebra.reducedQuotient(of);
  let product = algebra.rational(1);
  for (const term of exponent.numerator.values())
    product = algebra.times(product, exponentialOfTerm(algebra, term, exponent.denominator));
  return product;
};

/** e to the power of one term over the denominator of all. */
function exponentialOfTerm(algebra: Algebra, { powers, coefficient }: Term, denominator: Polynomial): Quotient {
  const [first, second] = powers;
  const isAlone = denominator.size === 1 && denominator.has('');
  const isFirstPower = powers.length === 1 && first[1] === 1 && first[2] === 1;
  const atom = isFirstPower ? algebra.atoms[first[0]] : null;
  if (isAlone && atom?.kind === 'function' && atom.name === 'ln') return algebra.power(atom.arguments[0], coefficient);
  const isTurn =
    powers.length === 2 && first[0] === IMAGINARY && second[0] === PI && second[1] === 1 && second[2] === 1;
  if (isAlone && isTurn) return fromPolynomial(algebra.unity(coefficient));
  const of = { numerator: polynomialOf({ powers, coefficient: Fraction.of(1) }), denominator };
  return namedExponential(algebra, of, coefficient);
}

function namedExponential(algebra: Algebra, of: Quotient, coefficient: Fraction): Quotient {
  let exponent = coefficient;
  const isReal = [of.numerator, of.denominator].every((part) => isRealPolynomial(algebra, part));
  const index = algebra.indexOf(
    (atom) => {
      const ratio = atom.kind === 'exponential' ? algebra.proportion(of, atom.of) : null;
      if (ratio !== null) exponent = coefficient.times(ratio);
      return ratio !== null;
    },
    { kind: 'exponential', of, isReal },
  );
  const { n, d } = lowest(Number(exponent.numerator), Number(exponent.denominator));
  return algebra.atom(index, n, d);
}

function isRealPolynomial({ atoms }: Algebra, polynomial: Polynomial): boolean {
  return [...polynomial.values()].every(({ powers }) =>
    powers.every(([index]) => {
      const atom = atoms[index];
      return !['imaginary', 'unity'].includes(atom.kind) && !(atom.kind === 'exponential' && !atom.isReal);
    }),
  );
}

export const logarithm: Function = (algebra, value) => {
  if (value.numerator.size === 0) throw new NoValueError('the logarithm of zero');
  const { numerator, denominator } = algebra.reducedQuotient(value);
  return algebra.minus(logarithmOf(algebra, numerator), logarithmOf(algebra, denominator));
};

function logarithmOf(algebra: Algebra, polynomial: Polynomial): Quotient {
  const term = singleTerm(polynomial);
  if (term !== null) return logarithmOfTerm(algebra, term);
  const { content, powers, primitive } = contentOf(polynomial, (atom) => algebra.isPositive(atom));
  const power = perfectPower(primitive, algebra.ring);
  if (power !== null) {
    const outside = logarithmOfTerm(algebra, { powers, coefficient: content.times(power.factor) });
    const of = power.exponent % 2 === 0 ? algebra.absolute(fromPolynomial(power.base)) : fromPolynomial(power.base);
    return algebra.plus(outside, algebra.times(algebra.rational(power.exponent), logarithm(algebra, of)));
  }
  const outside = logarithmOfTerm(algebra, { powers, coefficient: content });
  let factor = Fraction.of(1);
  const index = algebra.indexOf(
    (atom) => {
      const isLogarithm = atom.kind === 'function' && atom.name === 'ln';
      const ratio = isLogarithm ? proportion(primitive, atom.arguments[0].numerator) : null;
      if (ratio === null || ratio.numerator < 0n) return false;
      factor = ratio;
      return true;
    },
    { kind: 'function', name: 'ln', arguments: [fromPolynomial(primitive)] },
  );
  const inside = algebra.plus(algebra.atom(index), logarithmOfNumber(algebra, factor));
  return algebra.plus(outside, inside);
}

function logarithmOfTerm(algebra: Algebra, { powers, coefficient }: Term): Quotient {
  const isPositive = coefficient.numerator > 0n && powers.every(([atom]) => algebra.isPositive(atom));
  if (!isPositive) return algebra.opaque('ln of a term', fromPolynomial(polynomialOf({ powers, coefficient })));
  let sum = logarithmOfNumber(algebra, coefficient);
  for (const [index, n, d] of powers)
    sum = algebra.plus(sum, algebra.times(algebra.rational(Fraction.of(n, d)), logarithmOfAtom(algebra, index)));
  return sum;
}

function logarithmOfAtom(algebra: Algebra, index: number): Quotient {
  const atom = algebra.atoms[index];
  if (atom.kind === 'exponential') return atom.of;
  if (atom.kind === 'root') return logarithmOf(algebra, atom.of);
  return algebra.opaque('ln', algebra.atom(index));
}

function logarithmOfNumber(algebra: Algebra, value: Fraction): Quotient {
  let sum = algebra.rational(0);
  for (const { prime, exponent } of factorsOf(value, algebra.ring.work)) {
    const ofPrime = algebra.opaque('ln', algebra.rational(Fraction.of(prime)));
    sum = algebra.plus(sum, algebra.times(algebra.rational(exponent), ofPrime));
  }
  return sum;
}

/** (e^x + sign · e^(−x)) / 2, at i·x for the trigonometric functions. */
function halfSum(algebra: Algebra, x: Quotient, sign: 1 | -1): Quotient {
  const [up, down] = [exponential(algebra, x), exponential(algebra, algebra.times(algebra.rational(-1), x))];
  const sum = algebra.plus(up, algebra.times(algebra.rational(sign), down));
  return algebra.times(sum, algebra.rational(Fraction.of(1, 2)));
}

const turned = (algebra: Algebra, x: Quotient) => algebra.times(algebra.atom(IMAGINARY), x);
const cosine: Function = (algebra, x) => halfSum(algebra, turned(algebra, x), 1);
const sine: Function = (algebra, x) => algebra.over(halfSum(algebra, turned(algebra, x), -1), algebra.atom(IMAGINARY));
const hyperbolicCosine: Function = (algebra, x) => halfSum(algebra, x, 1);
const hyperbolicSine: Function = (algebra, x) => halfSum(algebra, x, -1);

const ratio =
  (above: Function, below: Function): Function =>
  (algebra, x) =>
    algebra.over(above(algebra, x), below(algebra, x));

const one: Function = (algebra) => algebra.rational(1);

/** Angles in twelfths of π by what the function is there: the square of it, as a fraction. */
type SpecialValues = readonly (readonly [numerator: number, denominator: number, twelfths: number])[];

const sines: SpecialValues = [
  [0, 1, 0],
  [1, 4, 2],
  [1, 2, 3],
  [3, 4, 4],
  [1, 1, 6],
];
const tangents: SpecialValues = [
  [0, 1, 0],
  [1, 3, 2],
  [1, 1, 3],
  [3, 1, 4],
];

/** An odd inverse: known at some values, opaque elsewhere. */
const inverse =
  (name: string, specials: SpecialValues): Function =>
  (algebra, x) => {
    for (const [numerator, denominator, twelfths] of specials)
      for (const sign of [1, -1]) {
        const root = algebra.power(algebra.rational(Fraction.of(numerator, denominator)), Fraction.of(1, 2));
        if (algebra.equal(x, algebra.times(algebra.rational(sign), root)))
          return algebra.times(algebra.rational(Fraction.of(sign * twelfths, 12)), algebra.atom(PI));
      }
    const opposite = algebra.times(algebra.rational(-1), x);
    const hasOpposite = algebra.atoms.some(
      (atom) => atom.kind === 'function' && atom.name === name && algebra.equal(atom.arguments[0], opposite),
    );
    return hasOpposite ? algebra.times(algebra.rational(-1), algebra.opaque(name, opposite)) : algebra.opaque(name, x);
  };

const inverseSine = inverse('arcsin', sines);
const inverseTangent = inverse('arctan', tangents);

/** A quarter turn minus the other function: arccos x = π/2 − arcsin x. */
const complement =
  (other: Function): Function =>
  (algebra, x) =>
    algebra.minus(algebra.times(algebra.rational(Fraction.of(1, 2)), algebra.atom(PI)), other(algebra, x));

const atInverse =
  (other: Function): Function =>
  (algebra, x) =>
    other(algebra, algebra.over(algebra.rational(1), x));

const rounded =
  (name: string, round: (value: Fraction) => bigint): Function =>
  (algebra, x) => {
    const value = valueOf(x);
    return value === null ? algebra.opaque(name, x) : algebra.rational(Fraction.of(round(value)));
  };

const floor = ({ numerator, denominator }: Fraction): bigint =>
  numerator >= 0n ? numerator / denominator : -((-numerator + denominator - 1n) / denominator);

/** n! is computed up to here. */
const MAX_FACTORIAL = 500n;

/** Factorials of arguments that differ by at most so much are written in one of them. */
const MAX_SHIFT = 20n;

const factorial: Function = (algebra, x) => {
  const value = valueOf(x);
  if (value === null) return shiftedFactorial(algebra, x);
  if (!value.isInteger() || value.numerator < 0n || value.numerator > MAX_FACTORIAL)
    throw new NoValueError('no factorial');
  let product = 1n;
  for (let k = 2n; k <= value.numerator; k++) product *= k;
  return algebra.rational(Fraction.of(product));
};

/** (n + 2)! is n! (n + 1)(n + 2), where n! is there already. */
function shiftedFactorial(algebra: Algebra, x: Quotient): Quotient {
  for (const [index, atom] of algebra.atoms.entries()) {
    if (atom.kind !== 'function' || atom.name !== 'factorial') continue;
    const shift = valueOf(algebra.minus(x, atom.arguments[0]));
    if (!shift?.isInteger() || shift.numerator > MAX_SHIFT || shift.numerator < -MAX_SHIFT) continue;
    const [low, count] = shift.numerator < 0n ? [x, -shift.numerator] : [atom.arguments[0], shift.numerator];
    const product = risingProduct(algebra, low, Number(count));
    const known = algebra.atom(index);
    return shift.numerator < 0n ? algebra.over(known, product) : algebra.times(known, product);
  }
  return algebra.opaque('factorial', x);
}

/** (x + 1)(x + 2) … (x + count). */
function risingProduct(algebra: Algebra, x: Quotient, count: number): Quotient {
  let product = algebra.rational(1);
  for (let k = 1; k <= count; k++) product = algebra.times(product, algebra.plus(x, algebra.rational(k)));
  return product;
}

const binomial: Function = (algebra, n, k) => {
  const below = algebra.times(factorial(algebra, algebra.minus(n, k)), factorial(algebra, k));
  return algebra.over(factorial(algebra, n), below);
};

/** log(base, x). */
const logarithmTo: Function = (algebra, base, x) => algebra.over(logarithm(algebra, x), logarithm(algebra, base));

/** Functions by name, each of its arguments in normal form. */
export const functions: Readonly<Record<string, Function>> = {
  exp: exponential,
  ln: logarithm,
  log: logarithmTo,
  sin: sine,
  cos: cosine,
  tan: ratio(sine, cosine),
  cot: ratio(cosine, sine),
  sec: ratio(one, cosine),
  csc: ratio(one, sine),
  sinh: hyperbolicSine,
  cosh: hyperbolicCosine,
  tanh: ratio(hyperbolicSine, hyperbolicCosine),
  arcsin: inverseSine,
  arctan: inverseTangent,
  arccos: complement(inverseSine),
  arccot: complement(inverseTangent),
  arcsec: atInverse(complement(inverseSine)),
  arccsc: atInverse(inverseSine),
  abs: (algebra, x) => algebra.absolute(x),
  floor: rounded('floor', floor),
  ceil: rounded('ceil', (value) => -floor(value.negative())),
  factorial,
  binomial,
};
