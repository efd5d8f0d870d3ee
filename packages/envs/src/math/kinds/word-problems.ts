// Generates short word problems (stories that lead to a calculation) of one, two or three steps.
import type { Rng } from '@bowyer/core';
import { inSteps, type Kind, type Worked } from './kind.js';

const NAMES = ['Ada', 'Ben', 'Carl', 'Dina', 'Emil', 'Fay'];
const THINGS = ['apples', 'books', 'cards', 'pens', 'shells', 'stamps'];

type Story = (rng: Rng, name: string, things: string) => Worked;

const stories: Readonly<Record<1 | 2 | 3, readonly Story[]>> = {
  1: [
    (rng, name, things) => {
      const [a, b] = [rng.integer(2, 50), rng.integer(2, 50)];
      return {
        question: `${name} has ${a} ${things} and finds ${b} more. How many ${things} does ${name} have now?`,
        steps: `${a} + ${b} = ${a + b}`,
        answer: String(a + b),
      };
    },
    (rng, name, things) => {
      const b = rng.integer(2, 40);
      const a = b + rng.integer(1, 40);
      return {
        question: `${name} has ${a} ${things} and gives ${b} away. How many ${things} are left?`,
        steps: `${a} - ${b} = ${a - b}`,
        answer: String(a - b),
      };
    },
    (rng, name, things) => {
      const [a, b] = [rng.integer(2, 9), rng.integer(2, 9)];
      return {
        question: `${name} buys ${a} boxes with ${b} ${things} each. How many ${things} are that?`,
        steps: `${a} * ${b} = ${a * b}`,
        answer: String(a * b),
      };
    },
  ],
  2: [
    (rng, name, things) => {
      const [a, b] = [rng.integer(2, 12), rng.integer(2, 12)];
      const c = rng.integer(1, a * b - 1);
      return {
        question: `${name} buys ${a} boxes with ${b} ${things} each and gives ${c} away. How many ${things} are left?`,
        steps: inSteps(`${a} * ${b} = ${a * b}`, `${a * b} - ${c} = ${a * b - c}`),
        answer: String(a * b - c),
      };
    },
    (rng, name, things) => {
      const [each, friends, kept] = [rng.integer(2, 12), rng.integer(2, 9), rng.integer(1, 20)];
      const all = each * friends + kept;
      return {
        question: `${name} has ${all} ${things}, keeps ${kept} and shares the rest equally among ${friends} friends. How many ${things} does each friend get?`,
        steps: inSteps(`${all} - ${kept} = ${all - kept}`, `${all - kept} / ${friends} = ${each}`),
        answer: String(each),
      };
    },
  ],
  3: [
    (rng, name, things) => {
      const [a, b, price] = [rng.integer(2, 12), rng.integer(2, 12), rng.integer(2, 9)];
      const bought = a + b;
      const paid = Math.ceil((bought * price) / 50) * 50;
      return {
        question: `${name} buys ${a} ${things} on Monday and ${b} on Tuesday for ${price} dollars each and pays with ${paid} dollars. How many dollars does ${name} get back?`,
        steps: inSteps(
          `${a} + ${b} = ${bought}`,
          `${bought} * ${price} = ${bought * price}`,
          `${paid} - ${bought * price} = ${paid - bought * price}`,
        ),
        answer: String(paid - bought * price),
      };
    },
    (rng, name) => {
      const [speed, hours, rest] = [rng.integer(3, 20), rng.integer(2, 6), rng.integer(5, 60)];
      const day = speed * hours;
      return {
        question: `${name} rides ${hours} hours at ${speed} km an hour on each of two days and then another ${rest} km. How many km is that in all?`,
        steps: inSteps(
          `${hours} * ${speed} = ${day}`,
          `2 * ${day} = ${2 * day}`,
          `${2 * day} + ${rest} = ${2 * day + rest}`,
        ),
        answer: String(2 * day + rest),
      };
    },
  ],
};

export const wordProblems: Kind = (rng, level) =>
  rng.choice(stories[level])(rng, rng.choice(NAMES), rng.choice(THINGS));
