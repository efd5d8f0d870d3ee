// Generates the math problems of the environment `math` with written solutions; a seed gives any number of problems.
import type { Rng } from '@bowyer/core';
import type { Split } from '../contract/env.js';
import { arithmetic } from './kinds/arithmetic.js';
import { equations } from './kinds/equations.js';
import { fractions } from './kinds/fractions.js';
import type { Kind, Level } from './kinds/kind.js';
import { numberTheory } from './kinds/number-theory.js';
import { percentages } from './kinds/percentages.js';
import { wordProblems } from './kinds/word-problems.js';
import { questionId, splitOf, type Problem } from './problem.js';

export const kinds = {
  arithmetic,
  fractions,
  equations,
  word_problems: wordProblems,
  percentages,
  number_theory: numberTheory,
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as KindName[];

interface GeneratorOptions {
  kinds: readonly KindName[];
  level: Level;
}

/** Draws problems until one belongs to the given split, which a hash of the question determines. */
export function generateProblem(rng: Rng, split: Split, options: GeneratorOptions): Problem {
  for (;;) {
    const problem = anyProblem(rng, options);
    if (splitOf(problem.question) === split) return problem;
  }
}

/** Draws a problem without regard to its split. */
export function anyProblem(rng: Rng, { kinds: names, level }: GeneratorOptions): Problem {
  const kind = rng.choice(names);
  const { question, steps, answer } = kinds[kind](rng, level);
  const solution = `${steps}; \\boxed{${answer.replace('%', '\\%')}}`;
  return { id: questionId(question), question, kind, answer, solution };
}
