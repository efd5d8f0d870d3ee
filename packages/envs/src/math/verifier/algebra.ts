// Quotients of polynomials in atoms: the normal form in which expressions are compared. Equality is exact: a/b = c/d where a·d − c·b
// has no terms. Rewriting supposes that variables are positive; equality.ts compares what the expressions are elsewhere.
import { Fraction, NoValueError } from '../fraction.js';
import { IMAGINARY, UNITY, type Atom, type Quotient } from './atoms.js';
import { contentOf, constantSign, proportion } from './content.js';
import { inLowestTerms, perfectPower } from './divisors.js';
import { factorsOf } from './factors.js';
import {
  constant,
  equalPolynomials,
  keyOf,
  lowest,
  polynomialOf,
  rationalValue,
  Ring,
  singleTerm,
  ZERO,
  type Polynomial,
  type Power,
  type Reduced,
  type Relations,
  type Term,
} from './polynomial.js';
import type { Work } from './work.js';

const ONE = constant(Fraction.of(1));

/** Kernels of one comparison; each pair costs a comparison of its own. */
const MAX_ATOMS = 60;

/** Both sides of a comparison are written in the atoms of one algebra. */
export class Algebra implements Relations {
  readonly atoms: Atom[] = [{ kind: 'imaginary' }, { kind: 'unity' }, { kind: 'pi' }];
  readonly ring: Ring;

  constructor(work: Work) {
    this.ring = new Ring(this, work);
  }

  rational(value: Fraction | number): Quotient {
    return fromPolynomial(constant(typeof value === 'number' ? Fraction.of(value) : value));
  }

  /** The atom to the power n/d. */
  atom(index: number, n = 1, d = 1): Quotient {
    return fromPolynomial(this.ring.reduced([[index, n, d]], Fraction.of(1)));
  }

  variable(name: string): Quotient {
    return this.atom(
      this.indexOf((atom) => atom.kind === 'variable' && atom.name === name, { kind: 'variable', name }),
    );
  }

  /** The number of an atom that is there already, or of the new one. */
  indexOf(isIt: (atom: Atom) => boolean, atom: Atom): number {
    const found = this.atoms.findIndex(isIt);
    if (found >= 0) return found;
    if (this.atoms.length >= MAX_ATOMS) throw new NoValueError('too many parts');
    return this.atoms.push(atom) - 1;
  }

  plus(a: Quotient, b: Quotient): Quotient {
    const { ring } = this;
    if (equalPolynomials(a.denominator, b.denominator))
      return { numerator: ring.plus(a.numerator, b.numerator), denominator: a.denominator };
    const numerator = ring.plus(ring.times(a.numerator, b.denominator), ring.times(b.numerator, a.denominator));
    return { numerator, denominator: ring.times(a.denominator, b.denominator) };
  }

  minus(a: Quotient, b: Quotient): Quotient {
    return this.plus(a, this.times(this.rational(-1), b));
  }

  times(a: Quotient, b: Quotient): Quotient {
    const numerator = this.ring.times(a.numerator, b.numerator);
    return { numerator, denominator: this.ring.times(a.denominator, b.denominator) };
  }

  /** @throws {NoValueError} for a divisor that is 0 */
  over(a: Quotient, b: Quotient): Quotient {
    return this.times(a, this.#inverse(b));
  }

  /** The quotient without the common divisor of numerator and denominator, if one is found. */
  reducedQuotient({ numerator, denominator }: Quotient): Quotient {
    const [above, below] = inLowestTerms(numerator, denominator, this.ring);
    return rationalValue(below) === null
      ? { numerator: above, denominator: below }
      : this.over(fromPolynomial(above), fromPolynomial(below));
  }

  equal(a: Quotient, b: Quotient): boolean {
    const { ring } = this;
    return equalPolynomials(ring.times(a.numerator, b.denominator), ring.times(b.numerator, a.denominator));
  }

  /** a/b where it is a rational number. */
  proportion(a: Quotient, b: Quotient): Fraction | null {
    const { ring } = this;
    return proportion(ring.times(a.numerator, b.denominator), ring.times(b.numerator, a.denominator));
  }

  /** Raises the base to a power that is a rational number. */
  power(base: Quotient, exponent: Fraction): Quotient {
    const { n, d } = this.#smallExponent(base, exponent);
    if (n < 0) return this.power(this.#inverse(base), exponent.negative());
    const powerOf = (part: Polynomial) => (d === 1 ? this.#integerPower(part, n) : this.#root(part, n, d));
    const of = d === 1 ? base : this.reducedQuotient(base);
    const [numerator, denominator] = [powerOf(of.numerator), powerOf(of.denominator)];
    return equalPolynomials(denominator, ONE)
      ? fromPolynomial(numerator)
      : this.over(fromPolynomial(numerator), fromPolynomial(denominator));
  }

  /** 0, 1 and −1 have every integer as an exponent. */
  #smallExponent(base: Quotient, { numerator, denominator }: Fraction): { n: number; d: number } {
    const isUnit = Math.abs(valueOf(base)?.toNumber() ?? 2) <= 1 && valueOf(base)!.isInteger();
    const n = isUnit && denominator === 1n ? unitExponent(numerator) : numerator;
    return lowest(Number(n), Number(denominator));
  }

  #integerPower(base: Polynomial, exponent: number): Polynomial {
    const term = singleTerm(base);
    if (term === null) return this.ring.power(base, exponent);
    const powers = term.powers.map(([atom, n, d]): Power => {
      const power = lowest(n * exponent, d);
      return [atom, power.n, power.d];
    });
    return this.ring.reduced(powers, term.coefficient.power(BigInt(exponent)));
  }

  #inverse({ numerator, denominator }: Quotient): Quotient {
    if (numerator.size === 0) throw new NoValueError('division by zero');
    const term = singleTerm(numerator);
    if (term === null || term.powers.some(([atom]) => this.#hasPolynomial(atom)))
      return { numerator: denominator, denominator: numerator };
    const powers = term.powers.map(([atom, n, d]): Power => [atom, -n, d]);
    const inverse = this.ring.reduced(powers, Fraction.of(1).over(term.coefficient));
    return fromPolynomial(this.ring.times(denominator, inverse));
  }

  #hasPolynomial(atom: number): boolean {
    return ['root', 'absolute'].includes(this.atoms[atom].kind);
  }

  /** A polynomial to the power n/d, d > 1. */
  #root(polynomial: Polynomial, n: number, d: number): Polynomial {
    if (polynomial.size === 0) return ZERO;
    const term = singleTerm(polynomial);
    if (term !== null) return this.#rootOfTerm(term, n, d);
    const { content, powers, primitive } = contentOf(polynomial, (atom) => this.isPositive(atom));
    const power = perfectPower(primitive, this.ring);
    if (power !== null) {
      const outside = this.#rootOfTerm({ powers, coefficient: content.times(power.factor) }, n, d);
      return this.ring.times(outside, this.#rootOfPower(power.base, power.exponent, n, d));
    }
    const isNegated = d % 2 === 1 && isNegative(primitive);
    const core = isNegated ? this.ring.scaled(primitive, Fraction.of(-1)) : primitive;
    const sign = isNegated && n % 2 === 1 ? Fraction.of(-1) : Fraction.of(1);
    const outside = this.#rootOfTerm({ powers, coefficient: content }, n, d);
    return this.ring.scaled(this.ring.times(outside, this.#kernel(core, n, d)), sign);
  }

  /** (base^exponent)^(n/d), of |base| for the even root of an even power. */
  #rootOfPower(base: Polynomial, exponent: number, n: number, d: number): Polynomial {
    const isEven = exponent % 2 === 0 && d % 2 === 0;
    const reduced = lowest(exponent * n, d);
    const of = isEven ? this.#absolute(base) : base;
    return reduced.d === 1 ? this.ring.power(of, reduced.n) : this.#root(of, reduced.n, reduced.d);
  }

  #kernel(core: Polynomial, n: number, d: number): Polynomial {
    let factor = Fraction.of(1);
    const isIt = (atom: Atom) => {
      const ratio = atom.kind === 'root' ? proportion(core, atom.of) : null;
      if (ratio === null || ratio.numerator < 0n) return false;
      factor = ratio;
      return true;
    };
    const index = this.indexOf(isIt, { kind: 'root', of: core });
    const outside = this.#rootOfTerm({ powers: [], coefficient: factor }, n, d);
    return this.ring.times(outside, this.ring.reduced([[index, n, d]], Fraction.of(1)));
  }

  /** The root of every factor by itself; signs, i and roots of unity together as one angle; what may be negative in a root of its own. */
  #rootOfTerm({ powers, coefficient }: Term, n: number, d: number): Polynomial {
    const isNegated = coefficient.numerator < 0n;
    const isReal = powers.every(([atom]) => atom !== IMAGINARY && atom !== UNITY);
    const known = powers.filter(([atom]) => this.isPositive(atom));
    const unknown = powers.filter(([atom]) => !this.isPositive(atom) && atom !== IMAGINARY && atom !== UNITY);
    const roots = known.map(([atom, a, b]): Power => {
      const power = lowest(a * n, b * d);
      return [atom, power.n, power.d];
    });
    let root = this.ring.reduced(roots, Fraction.of(1));
    root = this.ring.times(root, this.#rootOfNumber(isNegated ? coefficient.negative() : coefficient, n, d));
    if (unknown.length > 0) {
      const core = polynomialOf({ powers: unknown, coefficient: Fraction.of(1) });
      root = this.ring.times(root, this.#kernel(core, n, d));
    }
    if (isReal && isNegated && d % 2 === 1) return n % 2 === 1 ? this.ring.scaled(root, Fraction.of(-1)) : root;
    return this.ring.times(root, this.unity(angleOf(powers, isNegated).times(Fraction.of(n, d))));
  }

  #rootOfNumber(value: Fraction, n: number, d: number): Polynomial {
    let root = constant(Fraction.of(1));
    for (const { prime, exponent } of factorsOf(value, this.ring.work)) {
      const index = this.indexOf((atom) => atom.kind === 'prime' && atom.value === prime, {
        kind: 'prime',
        value: prime,
      });
      const power = lowest(exponent * n, d);
      root = this.ring.times(root, this.ring.reduced([[index, power.n, power.d]], Fraction.of(1)));
    }
    return root;
  }

  /** e^(iπ·turns), with radicals for multiples of 15°. */
  unity(turns: Fraction): Polynomial {
    const twelfths = turns.times(Fraction.of(12));
    if (!twelfths.isInteger()) {
      const { n, d } = lowest(Number(turns.numerator), Number(turns.denominator));
      return this.ring.reduced([[UNITY, n, d]], Fraction.of(1));
    }
    const k = Number(((twelfths.numerator % 24n) + 24n) % 24n);
    const imaginary = this.ring.times(this.#cosine(k + 18), this.ring.reduced([[IMAGINARY, 1, 1]], Fraction.of(1)));
    return this.ring.plus(this.#cosine(k), imaginary);
  }

  /** The cosine of k · 15°. */
  #cosine(k: number): Polynomial {
    k %= 24;
    if (k > 12) k = 24 - k;
    if (k > 6) return this.ring.scaled(this.#cosine(12 - k), Fraction.of(-1));
    const roots = cosines[k].map(([of, by]) =>
      this.ring.scaled(this.#rootOfNumber(Fraction.of(of), 1, 2), Fraction.of(by, 4)),
    );
    return roots.reduce((sum, root) => this.ring.plus(sum, root), ZERO);
  }

  /** Whether an atom is positive, given that variables are. */
  isPositive(index: number): boolean {
    const atom = this.atoms[index];
    if (atom.kind === 'exponential') return atom.isReal;
    if (atom.kind === 'function') return atom.name === 'ln' && this.#isAboveOne(atom.arguments[0]);
    return ['pi', 'variable', 'prime', 'root', 'absolute'].includes(atom.kind);
  }

  #isAboveOne({ numerator, denominator }: Quotient): boolean {
    const above = this.ring.minus(numerator, denominator);
    return equalPolynomials(denominator, ONE) && constantSign(above, this.atoms) === 1;
  }

  /** |a + bi| is √(a² + b²). */
  #absoluteOfComplex(polynomial: Polynomial): Polynomial | null {
    const imaginary = polynomial.get(keyOf([[IMAGINARY, 1, 1]]));
    const real = polynomial.get('');
    if (imaginary === undefined || polynomial.size > (real === undefined ? 1 : 2)) return null;
    const squares = [imaginary, real].map((term) => term?.coefficient.power(2n) ?? Fraction.of(0));
    return this.#rootOfNumber(squares[0].plus(squares[1]), 1, 2);
  }

  /** A sum of positive terms, in which variables have even powers. */
  #isPositiveEverywhere(polynomial: Polynomial): boolean {
    const isEven = ([atom, n, d]: Power) => this.atoms[atom].kind !== 'variable' || (n % 2 === 0 && d % 2 === 1);
    return [...polynomial.values()].every(
      ({ powers, coefficient }) =>
        coefficient.numerator > 0n && powers.every((power) => this.isPositive(power[0]) && isEven(power)),
    );
  }

  absolute(of: Quotient): Quotient {
    const { numerator, denominator } = this.reducedQuotient(of);
    return this.over(fromPolynomial(this.#absolute(numerator)), fromPolynomial(this.#absolute(denominator)));
  }

  #absolute(polynomial: Polynomial): Polynomial {
    const complex = this.#absoluteOfComplex(polynomial);
    if (complex !== null) return complex;
    const sign = this.#isPositiveEverywhere(polynomial) ? 1 : constantSign(polynomial, this.atoms);
    if (sign !== null) return this.ring.scaled(polynomial, Fraction.of(sign));
    const { content, powers, primitive } = contentOf(polynomial, (atom) => this.isPositive(atom));
    const outside = this.ring.reduced(powers, content);
    if (rationalValue(primitive) !== null) return outside;
    let factor = Fraction.of(1);
    const isIt = (atom: Atom) => {
      const ratio = atom.kind === 'absolute' ? proportion(primitive, atom.of) : null;
      if (ratio !== null) factor = ratio.numerator < 0n ? ratio.negative() : ratio;
      return ratio !== null;
    };
    const index = this.indexOf(isIt, { kind: 'absolute', of: primitive });
    return this.ring.scaled(this.ring.times(outside, this.ring.reduced([[index, 1, 1]], Fraction.of(1))), factor);
  }

  /** A function of which nothing is known but that it has one value for one argument. */
  opaque(name: string, ...values: Quotient[]): Quotient {
    const isIt = (atom: Atom) =>
      atom.kind === 'function' &&
      atom.name === name &&
      atom.arguments.length === values.length &&
      atom.arguments.every((value, i) => this.equal(value, values[i]));
    return this.atom(this.indexOf(isIt, { kind: 'function', name, arguments: values }));
  }

  reduce([index, n, d]: Power): Reduced {
    const { kind, ...atom } = this.atoms[index];
    const whole = Math.floor(n / d);
    const rest = { n: n - whole * d, d: n === whole * d ? 1 : d };
    if (kind === 'imaginary') return halved(n);
    if (kind === 'unity') {
      const sign = whole % 2 === 0 ? null : Fraction.of(-1);
      return rest.n === 1 && rest.d === 2
        ? { n: 0, d: 1, factor: sign, carry: 1 }
        : { ...rest, factor: sign, carry: 0 };
    }
    if (kind === 'prime' && whole !== 0)
      return { ...rest, factor: Fraction.of((atom as { value: bigint }).value).power(BigInt(whole)), carry: 0 };
    if (kind === 'root' && whole !== 0) return { ...rest, factor: null, carry: whole };
    if (kind === 'absolute' && whole >= 2)
      return { n: n - 2 * d * Math.floor(whole / 2), d, factor: null, carry: Math.floor(whole / 2) };
    return { n, d, factor: null, carry: 0 };
  }

  carried(index: number, carry: number): Polynomial {
    const atom = this.atoms[index];
    if (atom.kind === 'unity') return this.ring.reduced([[IMAGINARY, 1, 1]], Fraction.of(1));
    if (carry < 0) throw new NoValueError('a root in a denominator');
    if (atom.kind === 'root') return this.ring.power(atom.of, carry);
    return this.ring.power((atom as Extract<Atom, { kind: 'absolute' }>).of, 2 * carry);
  }
}

/** i to the power n as ±1 or ±i. */
function halved(n: number): Reduced {
  const rest = ((n % 4) + 4) % 4;
  return { n: rest % 2, d: 1, factor: rest >= 2 ? Fraction.of(-1) : null, carry: 0 };
}

/** 4 cos(k · 15°), k from 0 to 6, as a sum of roots with factors. */
const cosines: readonly (readonly (readonly [of: number, by: number])[])[] = [
  [[1, 4]],
  [
    [6, 1],
    [2, 1],
  ],
  [[3, 2]],
  [[2, 2]],
  [[1, 2]],
  [
    [6, 1],
    [2, -1],
  ],
  [],
];

const unitExponent = (exponent: bigint): bigint => (exponent < 0n ? -1n : exponent === 0n ? 0n : 2n - (exponent % 2n));

/** The argument of the signs, in half turns, from above −1 to 1. */
function angleOf(powers: readonly Power[], isNegated: boolean): Fraction {
  let turns = Fraction.of(isNegated ? 1 : 0);
  for (const [atom, n, d] of powers) {
    if (atom === IMAGINARY) turns = turns.plus(Fraction.of(n, 2 * d));
    if (atom === UNITY) turns = turns.plus(Fraction.of(n, d));
  }
  while (turns.toNumber() > 1) turns = turns.minus(Fraction.of(2));
  return turns;
}

/** The sign is that of the term whose key comes first, which is the same for equal polynomials. */
function isNegative(polynomial: Polynomial): boolean {
  const first = [...polynomial.keys()].sort()[0];
  return polynomial.get(first)!.coefficient.numerator < 0n;
}

export const fromPolynomial = (numerator: Polynomial): Quotient => ({ numerator, denominator: ONE });

/** Its value where it is a rational number. */
export function valueOf({ numerator, denominator }: Quotient): Fraction | null {
  const [a, b] = [rationalValue(numerator), rationalValue(denominator)];
  if (a !== null && b !== null) return a.over(b);
  return proportion(numerator, denominator);
}
