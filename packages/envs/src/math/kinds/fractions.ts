import type { Rng } from '@bowyer/core';
import { gcd, inSteps, ratio, type Kind, type Worked } from './kind.js';

export const fractions: Kind = (rng, level) => {
  if (level === 1) return sameDenominator(rng);
  if (level === 2) return twoDenominators(rng);
  return product(rng);
};

const reduced = (numerator: number, denominator: number) =>
  gcd(numerator, denominator) === 1 && denominator > 1
    ? []
    : [`${numerator}/${denominator} = ${ratio(numerator, denominator)}`];

function sameDenominator(rng: Rng): Worked {
  const d = rng.integer(3, 12);
  const [a, b] = [rng.integer(1, d - 1), rng.integer(1, d - 1)];
  const isSum = rng.uniform() < 0.5;
  const [x, y] = isSum ? [a, b] : [Math.max(a, b), Math.min(a, b)];
  const [sign, result] = isSum ? ['+', x + y] : ['-', x - y];
  return {
    question: `What is ${x}/${d} ${sign} ${y}/${d}?`,
    steps: inSteps(`${x} ${sign} ${y} = ${result}`, ...reduced(result, d)),
    answer: ratio(result, d),
  };
}

function twoDenominators(rng: Rng): Worked {
  const [c, d] = [rng.integer(2, 9), rng.integer(2, 9)];
  const [a, b] = [rng.integer(1, c - 1), rng.integer(1, d - 1)];
  const sign = rng.choice(['+', '-']);
  const common = (c * d) / gcd(c, d);
  const [x, y] = [(a * common) / c, (b * common) / d];
  const result = sign === '+' ? x + y : x - y;
  return {
    question: `What is ${a}/${c} ${sign} ${b}/${d}?`,
    steps: inSteps(
      `${a}/${c} = ${x}/${common}`,
      `${b}/${d} = ${y}/${common}`,
      `${x} ${sign} ${y} = ${result}`,
      ...reduced(result, common),
    ),
    answer: ratio(result, common),
  };
}

function product(rng: Rng): Worked {
  const part = () => rng.integer(1, 12);
  const [a, b, c, d] = [part(), part(), part(), part()];
  const divides = rng.uniform() < 0.5;
  const [n, m] = divides ? [d, c] : [c, d];
  return {
    question: `What is ${a}/${b} ${divides ? 'divided by' : 'times'} ${c}/${d}?`,
    steps: inSteps(
      ...(divides ? [`divided by ${c}/${d} is times ${d}/${c}`] : []),
      `${a} * ${n} = ${a * n}`,
      `${b} * ${m} = ${b * m}`,
      ...reduced(a * n, b * m),
    ),
    answer: ratio(a * n, b * m),
  };
}
