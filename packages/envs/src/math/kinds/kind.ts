// The parts of every kind of generated problem.
import type { Rng } from '@bowyer/core';

/** A level: 1: easy, one step; 2: two steps or larger numbers; 3: three steps, or results that are fractions. */
export type Level = 1 | 2 | 3;

export interface Worked {
  question: string;
  /** The steps on one line, each a true statement, without the final answer. */
  steps: string;
  answer: string;
}

/** Draws one problem. All numbers come from `rng`. */
export type Kind = (rng: Rng, level: Level) => Worked;

/** Joins steps to one line. */
export const inSteps = (...steps: readonly string[]): string => steps.join('; ');

export function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return Math.abs(a);
}

/** Writes `3`, `-3` or `3/4`, in lowest terms. */
export function ratio(numerator: number, denominator: number): string {
  const divisor = gcd(numerator, denominator) * Math.sign(denominator);
  const [n, d] = [numerator / divisor, denominator / divisor];
  return d === 1 ? String(n) : `${n}/${d}`;
}
