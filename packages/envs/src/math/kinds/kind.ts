// Defines the types and functions that all kinds of generated problems share.
import type { Rng } from '@bowyer/core';

/** The level. 1: one easy step; 2: two steps or larger numbers; 3: three steps, or fractions as results. */
export type Level = 1 | 2 | 3;

export interface Worked {
  question: string;
  /** The steps on one line, without the final answer. Each is a true equation. */
  steps: string;
  answer: string;
}

/** Draws one problem. All random numbers come from `rng`. */
export type Kind = (rng: Rng, level: Level) => Worked;

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
