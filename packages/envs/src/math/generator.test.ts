// Tests every generated answer without the generator: by arithmetic on the numbers of the question alone.
import { Rng } from '@bowyer/core';
import type { Split } from '../contract/env.js';
import { Fraction, gcd } from './fraction.js';
import { anyProblem, generateProblem, kindNames, type KindName } from './generator.js';
import type { Level } from './kinds/kind.js';
import { splitOf, type Problem } from './problem.js';
import { parseText } from './verifier/expression-parser.js';
import { rationalValue } from './verifier/tree.js';
import { verify } from './verifier.js';

const LEVELS: Level[] = [1, 2, 3];
const grid = kindNames.flatMap((kind) => LEVELS.map((level): [KindName, Level] => [kind, level]));

function draw(kind: KindName, level: Level, count: number): Problem[] {
  const rng = Rng.forPurpose(7, `${kind}/${level}`);
  return Array.from({ length: count }, () => anyProblem(rng, { kinds: [kind], level }));
}

const number = (text: string) => rationalValue(parseText(text)!)!;
const big = (text: string) => BigInt(text);

/** Solves a linear equation: it returns the zero of the difference of both sides, a line through two points. */
function root(equation: string): Fraction {
  const [left, right] = equation.split('=').map((side) => (x: number) => number(side.replaceAll('x', `(${x})`)));
  const difference = (x: number) => left(x).minus(right(x));
  return difference(0).over(difference(0).minus(difference(1)));
}

/** A pattern of a question, and a function that computes the answer from its numbers. */
const independently: [RegExp, (...parts: string[]) => Fraction][] = [
  [/^What is (\S+) divided by (.+)\?$/, (a, b) => number(a).over(number(b))],
  [/^What is (\S+) times (.+)\?$/, (a, b) => number(a).times(number(b))],
  [/^What is (\d+)% of (\d+)\?$/, (p, n) => number(`${p}*${n}/100`)],
  [/^What is the remainder of (\d+) divided by (\d+)\?$/, (a, b) => Fraction.of(big(a) % big(b))],
  [/^What is the greatest common divisor of (\d+) and (\d+)\?$/, (a, b) => Fraction.of(gcd(big(a), big(b)))],
  [
    /^What is the least common multiple of (\d+) and (\d+)\?$/,
    (a, b) => {
      let multiple = big(a);
      while (multiple % big(b) !== 0n) multiple += big(a);
      return Fraction.of(multiple);
    },
  ],
  [/^What is (.+)\?$/, (expression) => number(expression)],
  [/^Solve (.+)\.$/, root],
  [/^A price of (\d+) dollars rises by (\d+)%/, (n, p) => number(`${n}*(1+${p}/100)`)],
  [/^A price of (\d+) dollars falls by (\d+)%/, (n, p) => number(`${n}*(1-${p}/100)`)],
  [/^A price rises by (\d+)% to (\d+) dollars/, (p, n) => number(`${n}/(1+${p}/100)`)],
  [/^A price falls by (\d+)% to (\d+) dollars/, (p, n) => number(`${n}/(1-${p}/100)`)],
  [/^What percentage of (\d+) is (\d+)\?$/, (n, part) => number(`${part}/${n}`)],
  [/has (\d+) \w+ and finds (\d+) more/, (a, b) => number(`${a}+${b}`)],
  [/has (\d+) \w+ and gives (\d+) away/, (a, b) => number(`${a}-${b}`)],
  [/buys (\d+) boxes with (\d+) \w+ each\. /, (a, b) => number(`${a}*${b}`)],
  [/buys (\d+) boxes with (\d+) \w+ each and gives (\d+) away/, (a, b, c) => number(`${a}*${b}-${c}`)],
  [/has (\d+) \w+, keeps (\d+) and .* among (\d+) friends/, (a, b, c) => number(`(${a}-${b})/${c}`)],
  [
    /buys (\d+) \w+ on Monday and (\d+) on Tuesday for (\d+) dollars each and pays with (\d+)/,
    (a, b, price, paid) => number(`${paid}-(${a}+${b})*${price}`),
  ],
  [/rides (\d+) hours at (\d+) km .* another (\d+) km/, (h, v, rest) => number(`2*${h}*${v}+${rest}`)],
];

function answerOf(question: string): string {
  for (const [pattern, answer] of independently) {
    const match = pattern.exec(question);
    if (match) return String(answer(...match.slice(1)));
  }
  throw new Error(`no pattern fits: ${question}`);
}

test.each(grid)('%s, level %i: answers are those of the questions', (kind, level) => {
  for (const { question, answer } of draw(kind, level, 60))
    expect({ question, ...verify(`\\boxed{${answerOf(question)}}`, answer) }).toMatchObject({
      isCorrect: true,
      question,
    });
});

/** Sides of every equation without an unknown that a solution states. */
function equationsOf(solution: string): [string, string][] {
  const steps = solution.split('; ').filter((step) => step.includes('=') && !step.includes('x'));
  return steps.map((step) => step.split(' = ') as [string, string]);
}

test.each(grid)('%s, level %i: every step of a solution is true, and the solution passes', (kind, level) => {
  for (const { question, answer, solution } of draw(kind, level, 60)) {
    expect(solution).not.toContain('\n');
    expect({ question, ...verify(solution!, answer) }).toMatchObject({ isCorrect: true });
    for (const [left, right] of equationsOf(solution!))
      expect({ question, left, value: String(number(left)) }).toEqual({ question, left, value: String(number(right)) });
  }
});

test('the problem written again is not its answer', () => {
  for (const { question, answer } of draw('arithmetic', 1, 20)) {
    const problem = /is (.*)\?/.exec(question)![1];
    expect(verify(`\\boxed{${problem}}`, answer).isCorrect).toBe(false);
  }
});

test('no question of one split is drawn for another, and the shares are about 7:1:2', () => {
  const rng = new Rng(3);
  const options = { kinds: kindNames, level: 1 as const };
  const drawn = (split: Split) => new Set(Array.from({ length: 300 }, () => generateProblem(rng, split, options).id));
  const [train, evaluation, test] = [drawn('train'), drawn('eval'), drawn('test')];
  expect([...train].filter((id) => evaluation.has(id) || test.has(id))).toEqual([]);
  expect([...evaluation].filter((id) => test.has(id))).toEqual([]);
  const splits = draw('arithmetic', 2, 2000).map(({ question }) => splitOf(question));
  const share = (split: Split) => splits.filter((found) => found === split).length / splits.length;
  expect(share('train')).toBeCloseTo(0.7, 1);
  expect(share('eval')).toBeCloseTo(0.1, 1);
  expect(share('test')).toBeCloseTo(0.2, 1);
});

test('the same seed gives the same problems', () => {
  expect(draw('word_problems', 2, 5)).toEqual(draw('word_problems', 2, 5));
});
