// Sparse polynomials with rational coefficients and rational exponents, in atoms that have relations: i² = −1, √2² = 2 and so on.
// Atoms are numbers of a table (atoms.ts). Terms are kept by their powers, so a polynomial is zero where it has no terms.
import { Fraction, NoValueError, smallGcd } from '../fraction.js';
import { Work } from './work.js';

/** An atom to the power n/d in lowest terms, d > 0. */
export type Power = readonly [atom: number, n: number, d: number];

/** A product of powers, in the order of their atoms, times a coefficient that is not 0. */
export interface Term {
  powers: readonly Power[];
  coefficient: Fraction;
}

export type Polynomial = ReadonlyMap<string, Term>;

/** Exponents above are not calculated with. */
const MAX_EXPONENT = 1e6;

/** The reduced form of an atom's power: the power that stays, a number, and how often the atom's own polynomial is multiplied in. */
export interface Reduced {
  n: number;
  d: number;
  factor: Fraction | null;
  carry: number;
}

/** The relations of atoms. */
export interface Relations {
  reduce(power: Power): Reduced;
  /** For `carry`: what the atom is to the power `carry`. */
  carried(atom: number, carry: number): Polynomial;
}

export const ZERO: Polynomial = new Map();

export const keyOf = (powers: readonly Power[]): string =>
  powers.map(([atom, n, d]) => (d === 1 ? `${atom}^${n}` : `${atom}^${n}/${d}`)).join(' ');

export function polynomialOf(...terms: readonly Term[]): Polynomial {
  const sum = new Map<string, Term>();
  for (const term of terms) accumulate(sum, term);
  return sum;
}

export const constant = (value: Fraction): Polynomial => polynomialOf({ powers: [], coefficient: value });

function accumulate(sum: Map<string, Term>, { powers, coefficient }: Term): void {
  const key = keyOf(powers);
  const earlier = sum.get(key);
  const total = earlier === undefined ? coefficient : earlier.coefficient.plus(coefficient);
  if (total.numerator === 0n) sum.delete(key);
  else sum.set(key, { powers, coefficient: total });
}

/** The term of a polynomial that has one alone. */
export function singleTerm(polynomial: Polynomial): Term | null {
  if (polynomial.size !== 1) return null;
  const [term] = polynomial.values();
  return term;
}

/** Its value where it is a rational number. */
export function rationalValue(polynomial: Polynomial): Fraction | null {
  if (polynomial.size === 0) return Fraction.of(0);
  const term = singleTerm(polynomial);
  return term !== null && term.powers.length === 0 ? term.coefficient : null;
}

export function equalPolynomials(a: Polynomial, b: Polynomial): boolean {
  if (a.size !== b.size) return false;
  for (const [key, { coefficient }] of a) if (!b.get(key)?.coefficient.equals(coefficient)) return false;
  return true;
}

/** n/d in lowest terms. */
export function lowest(n: number, d: number): { n: number; d: number } {
  const divisor = smallGcd(Math.abs(n), d);
  const parts = { n: n / divisor, d: d / divisor };
  if (Math.abs(parts.n) > MAX_EXPONENT || parts.d > MAX_EXPONENT) throw new NoValueError('an exponent is too large');
  return parts;
}

const sumOfPowers = ([atom, n, d]: Power, [, m, e]: Power): Power => {
  const total = d === 1 && e === 1 ? lowest(n + m, 1) : lowest(n * e + m * d, d * e);
  return [atom, total.n, total.d];
};

/** Both in the order of their atoms. */
function merged(a: readonly Power[], b: readonly Power[]): Power[] {
  const powers: Power[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (j >= b.length || (i < a.length && a[i][0] < b[j][0])) powers.push(a[i++]);
    else if (i >= a.length || b[j][0] < a[i][0]) powers.push(b[j++]);
    else powers.push(sumOfPowers(a[i++], b[j++]));
  }
  return powers;
}

/** Coefficients of thousands of bits take hundreds of times as long as small ones. */
function stepsOf({ coefficient: { numerator, denominator }, powers }: Term): number {
  if (numerator < SMALL && numerator > -SMALL && denominator < SMALL) return 1 + powers.length;
  return 1 + powers.length + ((numerator.toString(16).length + denominator.toString(16).length) / 64) ** 2;
}

const SMALL = 1n << 128n;

/** Arithmetic of polynomials in atoms with relations, within an allowance of work. */
export class Ring {
  constructor(
    private readonly relations: Relations,
    readonly work: Work,
  ) {}

  plus(a: Polynomial, b: Polynomial): Polynomial {
    if (b.size === 0) return a;
    const sum = new Map(a);
    for (const term of b.values()) {
      this.work.spend(stepsOf(term));
      accumulate(sum, term);
    }
    return sum;
  }

  scaled(polynomial: Polynomial, factor: Fraction): Polynomial {
    if (factor.numerator === 0n) return ZERO;
    const scaled = new Map<string, Term>();
    for (const [key, term] of polynomial) {
      this.work.spend(stepsOf(term));
      scaled.set(key, { ...term, coefficient: term.coefficient.times(factor) });
    }
    return scaled;
  }

  minus(a: Polynomial, b: Polynomial): Polynomial {
    return this.plus(a, this.scaled(b, Fraction.of(-1)));
  }

  times(a: Polynomial, b: Polynomial): Polynomial {
    const product = new Map<string, Term>();
    for (const left of a.values())
      for (const right of b.values()) {
        this.work.spend(stepsOf(left) + stepsOf(right));
        this.#accumulateReduced(product, merged(left.powers, right.powers), left.coefficient.times(right.coefficient));
      }
    return product;
  }

  /** @param exponent not negative */
  power(base: Polynomial, exponent: number): Polynomial {
    let result = constant(Fraction.of(1));
    for (let left = exponent, square = base; left > 0; left = Math.floor(left / 2)) {
      if (left % 2 === 1) result = this.times(result, square);
      if (left > 1) square = this.times(square, square);
    }
    return result;
  }

  /** A term as the relations of its atoms have it; a sum where an atom's own polynomial is multiplied in. */
  reduced(powers: readonly Power[], coefficient: Fraction): Polynomial {
    const sum = new Map<string, Term>();
    this.#accumulateReduced(sum, powers, coefficient);
    return sum;
  }

  #accumulateReduced(sum: Map<string, Term>, powers: readonly Power[], coefficient: Fraction): void {
    const kept: Power[] = [];
    const carries: Polynomial[] = [];
    for (const power of powers) {
      const { n, d, factor, carry } = this.relations.reduce(power);
      if (n !== 0) kept.push([power[0], n, d]);
      if (factor !== null) coefficient = coefficient.times(factor);
      if (carry !== 0) carries.push(this.relations.carried(power[0], carry));
    }
    if (carries.length === 0) return accumulate(sum, { powers: kept, coefficient });
    let product = polynomialOf({ powers: kept, coefficient });
    for (const carried of carries) product = this.times(product, carried);
    for (const term of product.values()) accumulate(sum, term);
  }
}
