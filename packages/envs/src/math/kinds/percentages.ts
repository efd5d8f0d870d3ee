// Generates percentage problems: a share of a number, a price after a change by a percentage, and the price before it.
import type { Rng } from '@bowyer/core';
import { inSteps, type Kind, type Worked } from './kind.js';

export const percentages: Kind = (rng, level) => {
  if (level === 1) return shareOf(rng);
  return level === 2 ? change(rng) : rng.uniform() < 0.5 ? before(rng) : whichShare(rng);
};

/** Draws a problem that asks for p % of n, with an integer result. */
function shareOf(rng: Rng): Worked {
  const percent = rng.choice([10, 20, 25, 50, 75]);
  const n = 20 * rng.integer(1, 20);
  const result = (n * percent) / 100;
  return {
    question: `What is ${percent}% of ${n}?`,
    steps: inSteps(`${n} * ${percent} = ${n * percent}`, `${n * percent} / 100 = ${result}`),
    answer: String(result),
  };
}

/** Draws a problem that asks for a price after a rise or fall by p %. */
function change(rng: Rng): Worked {
  const percent = 5 * rng.integer(1, 12);
  const price = 20 * rng.integer(1, 20);
  const part = (price * percent) / 100;
  const rises = rng.uniform() < 0.5;
  const result = rises ? price + part : price - part;
  return {
    question: `A price of ${price} dollars ${rises ? 'rises' : 'falls'} by ${percent}%. What is the new price in dollars?`,
    steps: inSteps(`${price} * ${percent} / 100 = ${part}`, `${price} ${rises ? '+' : '-'} ${part} = ${result}`),
    answer: String(result),
  };
}

/** Draws a problem that gives a price after a change by p % and asks for the price before it. */
function before(rng: Rng): Worked {
  const price = 20 * rng.integer(1, 20);
  const percent = rng.choice([10, 20, 25, 50]);
  const rises = rng.uniform() < 0.5;
  const share = rises ? 100 + percent : 100 - percent;
  const now = (price * share) / 100;
  return {
    question: `A price ${rises ? 'rises' : 'falls'} by ${percent}% to ${now} dollars. What was it before, in dollars?`,
    steps: inSteps(
      `100 ${rises ? '+' : '-'} ${percent} = ${share}`,
      `${now} * 100 = ${now * 100}`,
      `${now * 100} / ${share} = ${price}`,
    ),
    answer: String(price),
  };
}

function whichShare(rng: Rng): Worked {
  const percent = 5 * rng.integer(1, 19);
  const n = 20 * rng.integer(1, 10);
  const part = (n * percent) / 100;
  return {
    question: `What percentage of ${n} is ${part}?`,
    steps: inSteps(`${part} * 100 = ${part * 100}`, `${part * 100} / ${n} = ${percent}`),
    answer: `${percent}%`,
  };
}
