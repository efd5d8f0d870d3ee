// Defines the type of a generator of math problems, the levels of difficulty, and functions that format solutions.
import type { Rng } from '@bowyer/core';

/** The difficulty. 1: one easy step; 2: two steps or larger numbers; 3: three steps, or fractions as results. */
export type Level = 1 | 2 | 3;

export interface Worked {
  question: string;
  /** The steps of the solution on one line, without the final answer. Each step is a true equation. */
  steps: string;
  answer: string;
}

/** Draws one problem. All random numbers come from `rng`, so that a seed determines the problem. */
export type Kind = (rng: Rng, level: Level) => Worked;

export const inSteps = (...steps: readonly string[]): string => steps.join('; ');

export function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return Math.abs(a);
}

/** Returns a quotient in lowest terms as text: `3`, `-3` or `3/4`. */
export function ratio(numerator: number, denominator: number): string {
  const divisor = gcd(numerator, denominator) * Math.sign(denominator);
  const [n, d] = [numerator / divisor, denominator / divisor];
  return d === 1 ? String(n) : `${n}/${d}`;
}
