// Common divisors of polynomials, by Euclid's algorithm with pseudo-remainders in one atom after the other. Atoms count as
// independent; a divisor is used only where the division is exact.
import { Fraction } from '../fraction.js';
import { contentOf, proportion } from './content.js';
import { constant, polynomialOf, rationalValue, ZERO, type Polynomial, type Power, type Ring } from './polynomial.js';

const ONE = constant(Fraction.of(1));

/** More terms are not divided: the algorithm's polynomials grow. */
const MAX_TERMS = 40;

/** a/b without the divisor that both have; as they are where none is found. */
export function inLowestTerms(a: Polynomial, b: Polynomial, ring: Ring): [Polynomial, Polynomial] {
  if (b.size < 2 || a.size < 2 || a.size > MAX_TERMS || b.size > MAX_TERMS) return [a, b];
  if (![a, b].every(hasIntegerPowers)) return [a, b];
  const divisor = commonDivisor(a, b, ring);
  if (rationalValue(divisor) !== null) return [a, b];
  const [above, below] = [exactQuotient(a, divisor, ring), exactQuotient(b, divisor, ring)];
  return above === null || below === null ? [a, b] : [above, below];
}

/** Higher powers are not looked for. */
const MAX_POWER = 8;

/** p as factor · base^exponent with an exponent above 1; null where it is none, or none is found. */
export function perfectPower(
  p: Polynomial,
  ring: Ring,
): { base: Polynomial; exponent: number; factor: Fraction } | null {
  if (p.size < 3 || p.size > MAX_TERMS || !hasIntegerPowers(p)) return null;
  const repeated = commonDivisor(p, derivative(p, firstAtom(p)!), ring);
  const base = rationalValue(repeated) === null ? exactQuotient(p, repeated, ring) : null;
  if (base === null) return null;
  for (
    let exponent = 2, power = ring.times(base, base);
    exponent <= MAX_POWER;
    exponent++, power = ring.times(power, base)
  ) {
    if (power.size > p.size + MAX_TERMS) return null;
    const factor = proportion(p, power);
    if (factor !== null && factor.numerator > 0n) return { base, exponent, factor };
  }
  return null;
}

function derivative(polynomial: Polynomial, atom: number): Polynomial {
  const terms = [...polynomial.values()].flatMap(({ powers, coefficient }) => {
    const degree = powers.find(([other]) => other === atom)?.[1] ?? 0;
    if (degree === 0) return [];
    const lower = powers.flatMap((power): Power[] =>
      power[0] !== atom ? [power] : degree === 1 ? [] : [[atom, degree - 1, 1]],
    );
    return [{ powers: lower, coefficient: coefficient.times(Fraction.of(degree)) }];
  });
  return polynomialOf(...terms);
}

const hasIntegerPowers = (polynomial: Polynomial): boolean =>
  [...polynomial.values()].every(({ powers }) => powers.every(([, n, d]) => n > 0 && d === 1));

/** The first atom of a polynomial; null for a constant. */
function firstAtom(polynomial: Polynomial): number | null {
  let first: number | null = null;
  for (const { powers } of polynomial.values())
    if (powers.length > 0 && (first === null || powers[0][0] < first)) first = powers[0][0];
  return first;
}

/** Coefficients by the power of an atom. */
function coefficientsIn(polynomial: Polynomial, atom: number): Polynomial[] {
  const terms: { powers: Power[]; coefficient: Fraction }[][] = [];
  for (const { powers, coefficient } of polynomial.values()) {
    const degree = powers.find(([other]) => other === atom)?.[1] ?? 0;
    (terms[degree] ??= []).push({ powers: powers.filter(([other]) => other !== atom), coefficient });
  }
  return Array.from(terms, (ofDegree) => polynomialOf(...(ofDegree ?? [])));
}

const degreeIn = (polynomial: Polynomial, atom: number): number => coefficientsIn(polynomial, atom).length - 1;

const monomial = (atom: number, degree: number): Polynomial =>
  polynomialOf({ powers: degree === 0 ? [] : [[atom, degree, 1]], coefficient: Fraction.of(1) });

/** The primitive part, whose coefficients are integers without a common divisor. */
const primitive = (polynomial: Polynomial): Polynomial =>
  polynomial.size === 0 ? polynomial : contentOf(polynomial, () => false).primitive;

function commonDivisor(a: Polynomial, b: Polynomial, ring: Ring): Polynomial {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  const [inA, inB] = [firstAtom(a), firstAtom(b)];
  if (inA === null || inB === null) return ONE;
  const atom = Math.min(inA, inB);
  const [contentA, contentB] = [contentIn(a, atom, ring), contentIn(b, atom, ring)];
  const content = commonDivisor(contentA, contentB, ring);
  if (inA !== inB) return content;
  let left = exactQuotient(a, contentA, ring) ?? a;
  let right = exactQuotient(b, contentB, ring) ?? b;
  while (degreeIn(right, atom) > 0) {
    const remainder = primitive(pseudoRemainder(left, right, atom, ring));
    const rest =
      remainder.size === 0
        ? remainder
        : (exactQuotient(remainder, contentIn(remainder, atom, ring), ring) ?? remainder);
    [left, right] = [right, rest];
    if (right.size === 0) return ring.times(content, left);
  }
  return content;
}

/** The common divisor of the coefficients. */
const contentIn = (polynomial: Polynomial, atom: number, ring: Ring): Polynomial =>
  coefficientsIn(polynomial, atom).reduce((divisor, coefficient) => commonDivisor(divisor, coefficient, ring), ZERO);

/** The remainder of a times a power of b's leading coefficient, divided by b. */
function pseudoRemainder(a: Polynomial, b: Polynomial, atom: number, ring: Ring): Polynomial {
  const degree = degreeIn(b, atom);
  const leading = coefficientsIn(b, atom)[degree];
  let rest = a;
  for (let top = degreeIn(rest, atom); rest.size > 0 && top >= degree; top = degreeIn(rest, atom)) {
    const factor = ring.times(coefficientsIn(rest, atom)[top], monomial(atom, top - degree));
    const next = ring.minus(ring.times(rest, leading), ring.times(b, factor));
    if (next.size > 0 && degreeIn(next, atom) >= top) return ONE; // relations of atoms came between
    rest = next;
  }
  return rest;
}

/** a/b where that is a polynomial. */
export function exactQuotient(a: Polynomial, b: Polynomial, ring: Ring): Polynomial | null {
  if (a.size === 0) return ZERO;
  const value = rationalValue(b);
  if (value !== null) return ring.scaled(a, Fraction.of(1).over(value));
  const atom = firstAtom(b)!;
  const degree = degreeIn(b, atom);
  const leading = coefficientsIn(b, atom)[degree];
  let [rest, quotient] = [a, ZERO];
  for (let top = degreeIn(rest, atom); rest.size > 0; top = degreeIn(rest, atom)) {
    const first = top < degree ? null : exactQuotient(coefficientsIn(rest, atom)[top], leading, ring);
    if (first === null) return null;
    const part = ring.times(first, monomial(atom, top - degree));
    quotient = ring.plus(quotient, part);
    rest = ring.minus(rest, ring.times(b, part));
    if (rest.size > 0 && degreeIn(rest, atom) >= top) return null;
  }
  return quotient;
}
