// Computes with complex numbers in high-precision decimal arithmetic, for the comparison of answers. Each number has a bound on
// its rounding error, so that two values are called different only if they certainly are.
import { maximum } from '@bowyer/core';
import { Decimal } from 'decimal.js';
import type { Fraction } from '../fraction.js';
import type { Work } from './work.js';

export interface Complex {
  re: Decimal;
  im: Decimal;
  /** The base-10 logarithm of the largest possible error; Infinity: not computed; NaN: undefined. */
  error: number;
}

const NOTHING = new Decimal(NaN);

/** The result of an undefined operation, such as 1/0. */
export const UNDEFINED: Complex = { re: NOTHING, im: NOTHING, error: NaN };

/** The result of an operation that was not computed, since it would take too long. The true result may even be undefined. */
export const UNKNOWN: Complex = { re: new Decimal(0), im: new Decimal(0), error: Infinity };

/** The largest absolute value of an argument for which the exponential function and the trigonometric functions are computed. */
const MAX_EXPONENT = 1e5;

/** The cost of an elementary function with 60 digits, and of an arithmetic operation, in the units of `Work`. */
const STEPS = { function: 500, operation: 10 };

/** Returns the smallest n for which the absolute values of the real and the imaginary part are below 10ⁿ. */
export const magnitude = ({ re, im }: Complex): number => Math.max(magnitudeOf(re), magnitudeOf(im));

const magnitudeOf = (part: Decimal): number => (part.isZero() ? -Infinity : part.e + 1);

/** Returns whether a value may be zero, which its rounding error does not exclude. */
export const isZero = (a: Complex): boolean => magnitude(a) <= a.error;

export const isReal = ({ im, error }: Complex): boolean => magnitudeOf(im) <= error || Number.isNaN(error);

export const isKnown = ({ error }: Complex): boolean => error < Infinity;

const negated = (a: Complex): Complex => ({ re: a.re.neg(), im: a.im.neg(), error: a.error });

/** Returns the base-10 logarithm of a sum of errors, of which each is given as its logarithm: log₁₀(Σ 10^e). */
function sumOfErrors(...errors: readonly number[]): number {
  const largest = maximum(errors);
  if (!Number.isFinite(largest)) return largest;
  return largest + Math.log10(errors.reduce((sum, error) => sum + 10 ** (error - largest), 0));
}

/** Computes with a fixed number of decimal digits. `work` counts each operation, and throws at the limit of the comparison. */
export class Arithmetic {
  readonly #Decimal: typeof Decimal;
  /** A cache of elementary functions' values, by function and argument. The two sides of a comparison often share arguments. */
  readonly #values = new Map<string, Decimal>();
  readonly pi: Complex;

  constructor(
    readonly digits: number,
    readonly work: Work,
  ) {
    this.#Decimal = Decimal.clone({ precision: digits });
    this.pi = this.#rounded(this.#Decimal.acos(-1));
  }

  number(value: Fraction | number | string): Complex {
    if (typeof value !== 'object') return this.#rounded(new this.#Decimal(value));
    const [above, below] = [value.numerator, value.denominator].map((part) => new this.#Decimal(String(part)));
    return this.#rounded(above.div(below));
  }

  readonly i = (): Complex => ({ re: new this.#Decimal(0), im: new this.#Decimal(1), error: -Infinity });

  readonly negative = negated;

  plus(a: Complex, b: Complex): Complex {
    this.work.spend(STEPS.operation);
    const sum = this.#rounded(a.re.plus(b.re), a.im.plus(b.im), a.error, b.error);
    // If a nonzero summand is smaller than the error of the sum, its digits were lost, so that the sum counts as unknown.
    const isLost = (part: Complex) => magnitude(part) < sum.error - 1 && magnitude(part) > part.error;
    return isLost(a) || isLost(b) ? UNKNOWN : sum;
  }

  minus = (a: Complex, b: Complex): Complex => this.plus(a, negated(b));

  times(a: Complex, b: Complex): Complex {
    this.work.spend(STEPS.operation);
    return this.#rounded(
      a.re.times(b.re).minus(a.im.times(b.im)),
      a.re.times(b.im).plus(a.im.times(b.re)),
      magnitude(a) + magnitude(b) - this.digits + 1,
      ...errorsOfProduct(a, b),
    );
  }

  over(a: Complex, b: Complex): Complex {
    if (isZero(b)) return nearZero(b);
    const square = b.re.times(b.re).plus(b.im.times(b.im));
    const inverse = this.#rounded(b.re.div(square), b.im.neg().div(square), b.error - 2 * (magnitude(b) - 1) + 1);
    return this.times(a, inverse);
  }

  exponential(a: Complex): Complex {
    if (!isKnown(a) || a.error > -1 || a.re.abs().gt(MAX_EXPONENT)) return Number.isNaN(a.error) ? UNDEFINED : UNKNOWN;
    const scale = this.#value('exp', a.re);
    const [cosine, sine] = [this.cosineOfReal(a.im), this.#sineOfReal(a.im)];
    const [re, im] = [scale.times(cosine), scale.times(sine)];
    return this.#rounded(
      re,
      im,
      magnitudeOf(scale) + sumOfErrors(a.error, 1 - this.digits + Math.max(0, magnitude(a))),
    );
  }

  /** Computes the principal value of the natural logarithm. */
  logarithm(a: Complex): Complex {
    if (isZero(a)) return nearZero(a);
    const of = this.#onLine(a);
    const re = this.#value('ln', this.#size(of));
    const im = of.im.isZero() && of.re.gt(0) ? of.im : this.#Decimal.atan2(of.im, of.re);
    return this.#rounded(re, im, a.error - magnitude(a) + 2, 1 - this.digits);
  }

  /** Computes the power n/d (in lowest terms): for a negative base and odd d the real root, else the principal value. */
  rationalPower(base: Complex, n: number, d: number): Complex {
    if (d === 1 && Math.abs(n) <= 64) return this.#integerPower(base, n);
    if (isZero(base)) return n > 0 ? { ...UNKNOWN, error: (base.error * n) / d } : nearZero(base);
    const of = this.#onLine(base);
    if (of.im.isZero() && of.re.lt(0) && d % 2 === 1) {
      const power = this.rationalPower(negated(of), n, d);
      return n % 2 === 0 ? power : negated(power);
    }
    if (d === 2 && of.im.isZero() && of.re.gt(0)) return this.#integerPower(this.#squareRoot(of), n);
    return this.power(of, this.over(this.number(n), this.number(d)));
  }

  power(base: Complex, exponent: Complex): Complex {
    return this.exponential(this.times(exponent, this.logarithm(base)));
  }

  absolute(a: Complex): Complex {
    return this.#rounded(this.#size(a), undefined, a.error);
  }

  cosine(a: Complex): Complex {
    if (isReal(a)) return this.#ofReal(a, (x) => this.cosineOfReal(x));
    return this.#halfSum(this.times(this.i(), a), 1);
  }

  sine(a: Complex): Complex {
    if (isReal(a)) return this.#ofReal(a, (x) => this.#sineOfReal(x));
    return this.over(this.#halfSum(this.times(this.i(), a), -1), this.i());
  }

  hyperbolicCosine = (a: Complex): Complex => this.#halfSum(a, 1);
  hyperbolicSine = (a: Complex): Complex => this.#halfSum(a, -1);

  /** Computes the arcsine of a real number; undefined outside [−1, 1]. */
  arcSine(a: Complex): Complex {
    const rest = this.minus(this.number(1), this.times(a, a));
    if (!isReal(a) || (rest.re.lt(0) && !isZero(rest))) return UNDEFINED;
    if (isZero(rest))
      return { ...this.times(this.number(a.re.lt(0) ? -0.5 : 0.5), this.pi), error: rest.error / 2 + 1 };
    return this.#rounded(this.#value('asin', a.re), undefined, a.error - magnitude(rest) / 2 + 1);
  }

  arcTangent = (a: Complex): Complex =>
    isReal(a) ? this.#rounded(this.#value('atan', a.re), undefined, a.error) : UNDEFINED;

  /** Returns the floor of a real value; a value within its rounding error of an integer counts as this integer. */
  floor(a: Complex): Complex {
    if (!isReal(a)) return UNDEFINED;
    const nearest = a.re.round();
    const isWhole = magnitudeOf(a.re.minus(nearest)) <= a.error;
    return isKnown(a) && a.error < -1 ? this.#rounded(isWhole ? nearest : a.re.floor()) : UNKNOWN;
  }

  /** Formats the value with so few digits that values which differ only by rounding have the same text. */
  textOf(a: Complex): string {
    const text = (part: Decimal) => (magnitudeOf(part) <= a.error ? '0' : part.toSignificantDigits(20).toString());
    return `${text(a.re)},${text(a.im)}`;
  }

  #ofReal(a: Complex, of: (x: Decimal) => Decimal): Complex {
    if (!isKnown(a) || a.re.abs().gt(MAX_EXPONENT)) return Number.isNaN(a.error) ? UNDEFINED : UNKNOWN;
    return this.#rounded(of(a.re), undefined, a.error, 1 - this.digits + Math.max(0, magnitude(a)));
  }

  cosineOfReal = (x: Decimal): Decimal => this.#value('cos', x);
  #sineOfReal = (x: Decimal): Decimal => this.#value('sin', x);

  /** Computes (e^x + sign · e^(−x)) / 2, the hyperbolic cosine or sine of x. */
  #halfSum(x: Complex, sign: 1 | -1): Complex {
    const [up, down] = [this.exponential(x), this.exponential(negated(x))];
    return this.times(this.number(0.5), sign === 1 ? this.plus(up, down) : this.minus(up, down));
  }

  #integerPower(base: Complex, exponent: number): Complex {
    let power = this.number(1);
    for (let k = 0; k < Math.abs(exponent); k++) power = this.times(power, base);
    return exponent < 0 ? this.over(this.number(1), power) : power;
  }

  #squareRoot({ re, error }: Complex): Complex {
    const root = re.sqrt();
    return this.#rounded(root, undefined, error - magnitudeOf(root) + 1);
  }

  /** Sets the imaginary part of a real number to 0, since its rounding error could cross the branch cut of the logarithm. */
  #onLine = (a: Complex): Complex => (isReal(a) ? { ...a, im: new this.#Decimal(0) } : a);

  #size = ({ re, im }: Complex): Decimal => (im.isZero() ? re.abs() : re.times(re).plus(im.times(im)).sqrt());

  #value(name: 'exp' | 'ln' | 'sin' | 'cos' | 'asin' | 'atan', of: Decimal): Decimal {
    const key = `${name} ${of.toString()}`;
    let value = this.#values.get(key);
    if (value === undefined) {
      this.work.spend(STEPS.function * (this.digits / 60) ** 2);
      value = new this.#Decimal(of)[name]();
      this.#values.set(key, value);
    }
    return value;
  }

  #rounded(re: Decimal, im = new this.#Decimal(0), ...errors: number[]): Complex {
    const rounding = Math.max(magnitudeOf(re), magnitudeOf(im)) - this.digits;
    return { re, im, error: re.isNaN() || im.isNaN() ? NaN : sumOfErrors(rounding, ...errors) };
  }
}

const errorsOfProduct = (a: Complex, b: Complex): number[] => [
  ...(a.error === -Infinity ? [] : [a.error + Math.max(magnitude(b), b.error)]),
  ...(b.error === -Infinity ? [] : [b.error + Math.max(magnitude(a), a.error)]),
];

/** Returns the value of a function at its singularity 0: undefined for an exact 0, unknown for a 0 within the rounding error. */
const nearZero = ({ error }: Complex): Complex => (error === -Infinity || Number.isNaN(error) ? UNDEFINED : UNKNOWN);
