// Complex numbers in double precision with a bound on their error, so that two values are called different only where they are.

export interface Ball {
  re: number;
  im: number;
  /** The true value is at most so far away; infinite or NaN where nothing is known. */
  error: number;
}

/** Rounding of one operation, with room for those of Math. */
const EPSILON = 2 ** -50;

export const size = ({ re, im }: Ball): number => Math.hypot(re, im);

/** Zero times an error without bound has no bound either. */
const rounded = (re: number, im: number, error: number): Ball => ({
  re,
  im,
  error: Number.isNaN(error) && !Number.isNaN(re) ? Infinity : error + EPSILON * Math.hypot(re, im),
});

export const ball = (re: number, im = 0): Ball => rounded(re, im, 0);

export const UNDEFINED: Ball = { re: NaN, im: NaN, error: NaN };

/** A value of which nothing is known; there may be none. */
export const UNKNOWN: Ball = { re: 0, im: 0, error: Infinity };

/** The value at zero of a function that has none: undefined at zero itself, unknown where zero is within the error. */
const nearZero = ({ error }: Ball): Ball => (error > 0 ? UNKNOWN : UNDEFINED);

export const isDefined = ({ re, im, error }: Ball): boolean => Number.isFinite(re) && Number.isFinite(im) && error >= 0;

export const plus = (a: Ball, b: Ball): Ball => rounded(a.re + b.re, a.im + b.im, a.error + b.error);

export const negative = (a: Ball): Ball => ({ re: -a.re, im: -a.im, error: a.error });

export const times = (a: Ball, b: Ball): Ball =>
  rounded(
    a.re * b.re - a.im * b.im,
    a.re * b.im + a.im * b.re,
    size(a) * b.error + size(b) * a.error + a.error * b.error + EPSILON * size(a) * size(b),
  );

export function over(a: Ball, b: Ball): Ball {
  const least = size(b) - b.error;
  if (!(least > 0)) return nearZero(b);
  const square = size(b) ** 2;
  const inverse = rounded(b.re / square, -b.im / square, b.error / (size(b) * least));
  return times(a, inverse);
}

export function exponential(a: Ball): Ball {
  const scale = Math.exp(a.re);
  const error = scale * Math.expm1(a.error) + EPSILON * scale * (1 + Math.abs(a.re) + Math.abs(a.im));
  return rounded(scale * Math.cos(a.im), scale * Math.sin(a.im), error);
}

/** The principal value. */
export function logarithm(a: Ball): Ball {
  const least = size(a) - a.error;
  if (!(least > 0)) return nearZero(a);
  return rounded(Math.log(size(a)), Math.atan2(a.im, a.re), a.error / least);
}

/** Whether the imaginary part is within the error. */
export const isReal = (a: Ball): boolean => Math.abs(a.im) <= a.error || Number.isNaN(a.re);

/** The value on the real line. */
const onLine = (a: Ball): Ball => ({ re: a.re, im: 0, error: a.error });

/**
 * The power n/d of a number, in lowest terms: the real root of a negative number where d is odd, as schools have it;
 * else the principal one.
 */
export function rationalPower(base: Ball, n: number, d: number): Ball {
  if (d === 1 && Math.abs(n) <= 64) return integerPower(base, n);
  if (size(base) <= base.error) return base.error === 0 && n > 0 ? ball(0) : nearZero(base);
  const isNegative = isReal(base) && base.re < 0;
  if (!isNegative || d % 2 === 0) return exponential(times(ball(n / d), logarithm(snapped(base))));
  const power = exponential(times(ball(n / d), logarithm(onLine(negative(base)))));
  return n % 2 === 0 ? power : negative(power);
}

/** Rounding must not turn a negative number to the other side of the cut. */
const snapped = (a: Ball): Ball => (isReal(a) ? onLine(a) : a);

function integerPower(base: Ball, exponent: number): Ball {
  let power = ball(1);
  for (let k = 0; k < Math.abs(exponent); k++) power = times(power, base);
  return exponent < 0 ? over(ball(1), power) : power;
}

export function power(base: Ball, exponent: Ball): Ball {
  return exponential(times(exponent, logarithm(snapped(base))));
}

/** The image under a real function of a real argument, with a bound on its slope near the argument. */
export const realFunction =
  (value: (x: number) => number, slope: (x: number) => number) =>
  (a: Ball): Ball => {
    if (!isReal(a)) return UNDEFINED;
    const steepest = Math.max(slope(a.re), slope(a.re - a.error), slope(a.re + a.error));
    return rounded(value(a.re), 0, a.error * steepest);
  };

export const absolute = (a: Ball): Ball => ({ re: size(a), im: 0, error: a.error + EPSILON * size(a) });
