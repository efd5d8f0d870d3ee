import type { Rng } from '@bowyer/core';
import { inSteps, ratio, type Kind, type Worked } from './kind.js';

export const equations: Kind = (rng, level) => {
  if (level === 1) return oneStep(rng);
  return level === 2 ? twoSteps(rng) : bothSides(rng);
};

function oneStep(rng: Rng): Worked {
  const [a, x] = [rng.integer(2, 20), rng.integer(1, 20)];
  if (rng.uniform() < 0.5)
    return { question: `Solve x + ${a} = ${x + a}.`, steps: `x = ${x + a} - ${a}`, answer: String(x) };
  return { question: `Solve x - ${a} = ${x - a}.`, steps: `x = ${x - a} + ${a}`, answer: String(x) };
}

/** Draws an equation a·x + b = c with an integer solution, which is solved in two steps. */
function twoSteps(rng: Rng): Worked {
  const [a, x, b] = [rng.integer(2, 9), rng.integer(-12, 12), rng.integer(1, 30)];
  const isSum = rng.uniform() < 0.5;
  const c = a * x + (isSum ? b : -b);
  return {
    question: `Solve ${a}x ${isSum ? '+' : '-'} ${b} = ${c}.`,
    steps: inSteps(`${a}x = ${c} ${isSum ? '-' : '+'} ${b}`, `${a}x = ${a * x}`, `x = ${a * x}/${a}`),
    answer: String(x),
  };
}

/** Draws an equation a·x + b = c·x + d, whose solution may be a fraction. */
function bothSides(rng: Rng): Worked {
  const c = rng.integer(2, 6);
  const a = c + rng.integer(1, 6);
  const [b, d] = [rng.integer(1, 40), rng.integer(1, 40)];
  return {
    question: `Solve ${a}x + ${b} = ${c}x + ${d}.`,
    steps: inSteps(`${a}x - ${c}x = ${d} - ${b}`, `${a - c}x = ${d - b}`, `x = ${d - b}/${a - c}`),
    answer: ratio(d - b, a - c),
  };
}
