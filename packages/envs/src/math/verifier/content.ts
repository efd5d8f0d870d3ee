// Parts of polynomials: what all terms have in common, how two are related, and the sign of a constant.
import { Fraction, gcd } from '../fraction.js';
import type { Atom } from './atoms.js';
import { lowest, polynomialOf, type Polynomial, type Power } from './polynomial.js';

export interface Content {
  /** Positive, so that the primitive part has the sign of the whole. */
  content: Fraction;
  /** The powers of atoms that are positive. */
  powers: Power[];
  /** The primitive part: its coefficients are integers that have no common divisor. */
  primitive: Polynomial;
}

export function contentOf(polynomial: Polynomial, isPositive: (atom: number) => boolean): Content {
  const terms = [...polynomial.values()];
  const content = terms.map(({ coefficient }) => coefficient).reduce(commonDivisor, Fraction.of(0));
  const powers = commonPowers(terms.map((term) => term.powers)).filter(([atom]) => isPositive(atom));
  const rest = terms.map(({ powers: own, coefficient }) => ({
    powers: own.flatMap((power) => without(power, powers)),
    coefficient: coefficient.over(content),
  }));
  return { content, powers, primitive: polynomialOf(...rest) };
}

function commonDivisor(a: Fraction, b: Fraction): Fraction {
  const absolute = (n: bigint) => (n < 0n ? -n : n);
  const numerator = gcd(absolute(a.numerator), absolute(b.numerator));
  const multiple = (a.denominator * b.denominator) / gcd(a.denominator, b.denominator);
  return Fraction.of(numerator, multiple);
}

/** The least power of each atom that all terms have. */
function commonPowers(terms: readonly (readonly Power[])[]): Power[] {
  const [first, ...others] = terms;
  return first.flatMap(([atom, n, d]): Power[] => {
    let least: Power = [atom, n, d];
    for (const powers of others) {
      const power = powers.find(([other]) => other === atom);
      if (power === undefined) return [];
      if (power[1] / power[2] < least[1] / least[2]) least = power;
    }
    return [least];
  });
}

function without([atom, n, d]: Power, common: readonly Power[]): Power[] {
  const taken = common.find(([other]) => other === atom);
  if (taken === undefined) return [[atom, n, d]];
  const rest = lowest(n * taken[2] - taken[1] * d, d * taken[2]);
  return rest.n === 0 ? [] : [[atom, rest.n, rest.d]];
}

/** a/b where it is a rational number that is not 0. */
export function proportion(a: Polynomial, b: Polynomial): Fraction | null {
  if (a.size !== b.size || a.size === 0) return null;
  let ratio: Fraction | null = null;
  for (const [key, { coefficient }] of a) {
    const other = b.get(key)?.coefficient;
    if (other === undefined) return null;
    const here = coefficient.over(other);
    if (ratio !== null && !ratio.equals(here)) return null;
    ratio = here;
  }
  return ratio;
}

/** 1 or −1 where it is a real constant that is clearly not 0; null elsewhere. */
export function constantSign(polynomial: Polynomial, atoms: readonly Atom[]): 1 | -1 | null {
  const size = { total: 0 };
  const value = approximateValue(polynomial, atoms, size);
  if (Number.isNaN(value) || !(Math.abs(value) > 1e-9 * size.total)) return null;
  return value > 0 ? 1 : -1;
}

/** NaN if it is not a real constant. `size` grows by the sizes of the terms: cancellation costs digits. */
function approximateValue(polynomial: Polynomial, atoms: readonly Atom[], size: { total: number }): number {
  let sum = 0;
  for (const { powers, coefficient } of polynomial.values()) {
    let term = coefficient.toNumber();
    for (const [atom, n, d] of powers) term *= atomValue(atoms[atom], atoms) ** (n / d);
    size.total += Math.abs(term);
    sum += term;
  }
  return sum;
}

function atomValue(atom: Atom, atoms: readonly Atom[]): number {
  const own = { total: 0 };
  const sure = (value: number) => (Math.abs(value) > 1e-5 * own.total ? value : NaN);
  if (atom.kind === 'pi') return Math.PI;
  if (atom.kind === 'prime') return Number(atom.value);
  if (atom.kind === 'root') return sure(approximateValue(atom.of, atoms, own));
  if (atom.kind === 'absolute') return Math.abs(sure(approximateValue(atom.of, atoms, own)));
  const of = atom.kind === 'exponential' ? atom.of : atom.kind === 'function' ? atom.arguments[0] : null;
  if (of === null) return NaN;
  const value = approximateValue(of.numerator, atoms, own) / approximateValue(of.denominator, atoms, own);
  if (atom.kind === 'exponential') return Math.exp(value);
  return atom.kind === 'function' && atom.name === 'ln' ? Math.log(sure(value)) : NaN;
}
