// Generates problems on remainders, greatest common divisors and least common multiples, solved by Euclid's algorithm.
import type { Rng } from '@bowyer/core';
import { gcd, inSteps, type Kind, type Worked } from './kind.js';

export const numberTheory: Kind = (rng, level) => {
  if (level === 1) return remainder(rng);
  const [a, b] = pair(rng, level === 2 ? 60 : 40);
  return level === 2 ? divisor(a, b) : multiple(a, b);
};

function remainder(rng: Rng): Worked {
  const [quotient, divisor] = [rng.integer(1, 12), rng.integer(2, 9)];
  const rest = rng.integer(0, divisor - 1);
  const n = quotient * divisor + rest;
  return {
    question: `What is the remainder of ${n} divided by ${divisor}?`,
    steps: inSteps(`${divisor} * ${quotient} = ${n - rest}`, `${n} - ${n - rest} = ${rest}`),
    answer: String(rest),
  };
}

/** Draws two numbers that often have a common divisor larger than 1; the first number is the larger one. */
function pair(rng: Rng, largest: number): [number, number] {
  const common = rng.integer(1, 8);
  const a = common * rng.integer(2, Math.floor(largest / common));
  const b = common * rng.integer(1, Math.floor(largest / common));
  return a === b ? [a + common, b] : [Math.max(a, b), Math.min(a, b)];
}

/** Returns all divisions of Euclid's algorithm for two numbers, such as `48 = 2 * 18 + 12`. */
function divisions(a: number, b: number): string[] {
  const steps: string[] = [];
  for (; b !== 0; [a, b] = [b, a % b]) steps.push(`${a} = ${Math.floor(a / b)} * ${b} + ${a % b}`);
  return steps;
}

const divisor = (a: number, b: number): Worked => ({
  question: `What is the greatest common divisor of ${a} and ${b}?`,
  steps: inSteps(...divisions(a, b)),
  answer: String(gcd(a, b)),
});

function multiple(a: number, b: number): Worked {
  const common = gcd(a, b);
  return {
    question: `What is the least common multiple of ${a} and ${b}?`,
    steps: inSteps(...divisions(a, b), `${a} * ${b} = ${a * b}`, `${a * b} / ${common} = ${(a * b) / common}`),
    answer: String((a * b) / common),
  };
}
