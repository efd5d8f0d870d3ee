// Confidence sequences: intervals of a mean that hold at every number of values at once, so that one may look after each value and
// stop where the answer is clear.
import type { Interval } from './bootstrap-interval.js';
import { studentQuantile } from './student-interval.js';

/** The largest share of the capital that a bet may lose. */
const LARGEST_LOSS = 0.75;

/** Halvings of the interval in which a bound is searched. */
const HALVINGS = 40;

/**
 * Computes the hedged betting confidence sequence of the mean of bounded values. With probability `level` the mean lies in the intervals
 * of all numbers of values at the same time, whatever the distribution is.
 *
 *     capital against "the mean is at most m":   K⁺(m) = Π (1 + min(λ_t, c / m) · (x_t − m))
 *     capital against "the mean is at least m":  K⁻(m) = Π (1 − min(λ_t, c / (1 − m)) · (x_t − m))
 *     λ_t = √(2 log(2 / α) / (σ̂²_{t−1} · t · log(1 + t))),   the interval has all m with K⁺(m) < 2 / α and K⁻(m) < 2 / α
 *
 * Source: Waudby-Smith and Ramdas 2023, Estimating means of bounded random variables by betting, arXiv:2010.09686, section 4.2 and
 * eq. 26; the bound at every time is Ville's inequality.
 *
 * @param values in [0, 1], whose mean is the same given all earlier ones
 */
export function confidenceSequence(values: readonly number[], level = 0.95): Interval {
  const bets = betsOf(values, 1 - level);
  const mirrored = values.map((value) => 1 - value);
  return { low: lowerBound(values, bets, 1 - level), high: 1 - lowerBound(mirrored, bets, 1 - level) };
}

/** Computes the λ_t; they are the same for values and for what they lack to 1. */
function betsOf(values: readonly number[], alpha: number): number[] {
  let [sum, squares, variance] = [0, 0, 1 / 4];
  return values.map((value, i) => {
    const t = i + 1;
    const bet = Math.sqrt((2 * Math.log(2 / alpha)) / (variance * t * Math.log(1 + t)));
    sum += value;
    squares += (value - (1 / 2 + sum) / (t + 1)) ** 2;
    variance = (1 / 4 + squares) / (t + 1);
    return bet;
  });
}

/** Returns the largest m that is refuted as an upper bound of the mean. K⁺ falls in m, so that halving finds it. */
function lowerBound(values: readonly number[], bets: readonly number[], alpha: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (logCapital(values, bets, middle) >= Math.log(2 / alpha)) low = middle;
    else high = middle;
  }
  return low;
}

function logCapital(values: readonly number[], bets: readonly number[], m: number): number {
  return values.reduce((sum, value, i) => sum + Math.log1p(Math.min(bets[i], LARGEST_LOSS / m) * (value - m)), 0);
}

/** How a difference is looked for. */
export interface PlannedDifference {
  /** The difference of the means. */
  difference: number;
  /** The standard deviation of one value, or of one paired difference. */
  deviation: number;
  /** One minus the chance of a wrong alarm. */
  confidence?: number;
  /** The chance that the difference is found. */
  power?: number;
}

/**
 * Computes how many values, or pairs, a test of a fixed size needs to find a difference: n = ((z_{1−α/2} + z_power) · s / d)².
 *
 * Source: Cohen 1988, Statistical Power Analysis, section 2.3.
 */
export function rolloutsNeeded({ difference, deviation, confidence = 0.95, power = 0.8 }: PlannedDifference): number {
  if (!(difference > 0)) throw new RangeError(`rolloutsNeeded: difference is ${difference}, and must be above 0`);
  const quantiles = normalQuantile((1 + confidence) / 2) + normalQuantile(power);
  return Math.max(2, Math.ceil(((quantiles * deviation) / difference) ** 2));
}

/** Returns the quantile of the normal distribution, which Student's t is to four digits with so many degrees of freedom. */
const normalQuantile = (probability: number): number => studentQuantile(probability, 20_000);
