// Computes confidence sequences: intervals of a mean that are valid for every number of values simultaneously, so that one may compute
// them after each value and stop as soon as the answer is clear.
import type { Interval } from './bootstrap-interval.js';
import { studentQuantile } from './student-interval.js';

/** c of the formula of `confidenceSequence`: the largest share of the capital of bets that one value may lose. */
const LARGEST_LOSS = 0.75;

const HALVINGS = 40;

/**
 * Computes the hedged betting confidence sequence of the mean of bounded values. With probability `level` the mean lies in the
 * intervals for all numbers of values simultaneously, whatever the distribution.
 *
 *     capital against "the mean is at most m":   K⁺(m) = Π (1 + min(λ_t, c / m) · (x_t − m))
 *     capital against "the mean is at least m":  K⁻(m) = Π (1 − min(λ_t, c / (1 − m)) · (x_t − m))
 *     λ_t = √(2 log(2 / α) / (σ̂²_{t−1} · t · log(1 + t))),   the interval has all m with K⁺(m) < 2 / α and K⁻(m) < 2 / α
 *
 * Source: Waudby-Smith and Ramdas 2023, Estimating means of bounded random variables by betting, arXiv:2010.09686, section 4.2 and eq.
 * 26; validity at all times follows from Ville's inequality.
 *
 * @param values in [0, 1], each with the same mean given all earlier values
 */
export function confidenceSequence(values: readonly number[], level = 0.95): Interval {
  const bets = betsOf(values, 1 - level);
  const mirrored = values.map((value) => 1 - value);
  return { low: lowerBound(values, bets, 1 - level), high: 1 - lowerBound(mirrored, bets, 1 - level) };
}

/** Computes the bets λ_t of the formula of `confidenceSequence`, which are the same for values x and for 1 − x. */
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

/** Returns the largest m for which "the mean is at most m" is rejected, by bisection, since K⁺ decreases in m. */
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

/** A difference that a test should detect, and the test's error rates. */
export interface PlannedDifference {
  difference: number;
  /** The standard deviation of one value, or of one paired difference. */
  deviation: number;
  /** One minus the probability of a false positive. */
  confidence?: number;
  /** The probability of detecting the difference. */
  power?: number;
}

/**
 * Computes the number of values (or pairs) with which a test of fixed size detects a difference: n = ((z_{1−α/2} + z_power) · s / d)².
 *
 * Source: Cohen 1988, Statistical Power Analysis, section 2.3.
 */
export function rolloutsNeeded({ difference, deviation, confidence = 0.95, power = 0.8 }: PlannedDifference): number {
  if (!(difference > 0)) throw new RangeError(`rolloutsNeeded: difference is ${difference}, and must be above 0`);
  const quantiles = normalQuantile((1 + confidence) / 2) + normalQuantile(power);
  return Math.max(2, Math.ceil(((quantiles * deviation) / difference) ** 2));
}

/** Returns the quantile of the normal distribution, to four digits, by Student's t with many degrees of freedom. */
const normalQuantile = (probability: number): number => studentQuantile(probability, 20_000);
