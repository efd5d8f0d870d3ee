// Generates the hundred sorting and hundred arithmetic problems of each fold. They equal TextWorldExpress's problems, since they
// use the same generator, seeds and order of draws.
import { JavaRandom } from '../java-random.js';
import { folds, type Fold } from '../parameters.js';
import { materials, nouns } from './words.js';

/** The number of arithmetic problems per operator in each fold. */
const PER_KIND = 25;
const MOST = 50;
/** The seed of the wrong answers. It was reconstructed from the published problems, which it reproduces exactly. */
const FILLER_SEED = 0xbfd676416739n;

export interface SortingItem {
  /** The name in the game: "9 pears", "13mg of wood". */
  readonly name: string;
  /** The size in the smallest unit of its property. */
  readonly size: number;
}

/** The units of each property, the smallest first, in multiples of the smallest. */
const unitsByProperty: readonly Readonly<Record<string, number>>[] = [
  { mm: 1, cm: 10, m: 1000 },
  { mg: 1, g: 1000, kg: 1_000_000 },
  { ml: 1, l: 1000 },
];

/** Returns the items of each problem in ascending order, in which they must be put into the box. */
export function drawSortingProblems(): Record<Fold, SortingItem[][]> {
  const random = new JavaRandom(2051);
  const drawn: Record<Fold, SortingItem[][]> = { train: [], dev: [], test: [] };
  const add = (fold: Fold, drawItem: (quantity: () => number) => SortingItem) => {
    for (let i = 0; i < PER_KIND; i++) drawn[fold].push(drawSortingProblem(random, drawItem));
  };
  for (const fold of folds) {
    add(fold, (drawQuantity) => {
      const [noun] = random.shuffle(nouns[fold]);
      const quantity = drawQuantity();
      return { name: `${quantity} ${quantity === 1 ? noun.one : noun.many}`, size: quantity };
    });
  }
  for (const units of unitsByProperty) {
    for (const fold of folds) {
      add(fold, (drawQuantity) => {
        const [material] = random.shuffle(materials[fold]);
        const quantity = drawQuantity();
        const [unit] = random.shuffle(Object.keys(units));
        return { name: `${quantity}${unit} of ${material}`, size: quantity * units[unit] };
      });
    }
  }
  for (const fold of folds) drawn[fold] = random.shuffle(drawn[fold]);
  return drawn;
}

/** Draws three to five items of different quantities. */
function drawSortingProblem(random: JavaRandom, drawItem: (quantity: () => number) => SortingItem): SortingItem[] {
  const used = new Set<number>();
  const drawQuantity = () => {
    let quantity: number;
    do quantity = random.nextInt(MOST) + 1;
    while (used.has(quantity));
    used.add(quantity);
    return quantity;
  };
  const count = random.nextInt(3) + 3;
  const items = Array.from({ length: count }, () => drawItem(drawQuantity));
  return items.sort((a, b) => a.size - b.size);
}

export type Operator = '+' | '-' | '*' | '/';

export interface ArithmeticProblem {
  readonly operator: Operator;
  readonly first: number;
  /** The second number. In a division, the dividend is the product of both. */
  readonly second: number;
  readonly answer: number;
  readonly wrongAnswers: readonly number[];
}

type Question = Omit<ArithmeticProblem, 'wrongAnswers'>;

const operators: readonly Operator[] = ['+', '-', '*', '/'];

export function drawArithmeticProblems(): Record<Fold, ArithmeticProblem[]> {
  const random = new JavaRandom(2501);
  const drawn: Record<Fold, Question[]> = { train: [], dev: [], test: [] };
  for (const operator of operators) {
    const questions = random.shuffle(drawQuestions(random, operator, PER_KIND * folds.length));
    for (const [i, fold] of folds.entries()) drawn[fold].push(...questions.slice(i * PER_KIND, (i + 1) * PER_KIND));
  }
  const fillers = new JavaRandom(FILLER_SEED);
  const problems: Record<Fold, ArithmeticProblem[]> = { train: [], dev: [], test: [] };
  for (const fold of folds) {
    problems[fold] = random
      .shuffle(drawn[fold])
      .map((question) => ({ ...question, wrongAnswers: drawWrongAnswers(fillers, question) }));
  }
  return problems;
}

/** Draws distinct questions; a sum or product with swapped numbers counts as the same. */
function drawQuestions(random: JavaRandom, operator: Operator, count: number): Question[] {
  const questions = new Map<string, Question>();
  while (questions.size < count) {
    // A dividend is never divided by one.
    const first = random.nextInt(MOST - 1) + (operator === '/' ? 2 : 1);
    const second = random.nextInt(MOST - 1) + 1;
    const answer = answerTo(operator, first, second);
    const isCommutative = operator === '+' || operator === '*';
    const key = isCommutative && first > second ? `${second},${first}` : `${first},${second}`;
    if (answer !== null && !questions.has(key)) questions.set(key, { operator, first, second, answer });
  }
  return [...questions.values()];
}

/** Returns the answer; null if it is not an integer, or if a difference is not positive. */
function answerTo(operator: Operator, first: number, second: number): number | null {
  if (operator === '+') return first + second;
  if (operator === '*') return first * second;
  if (operator === '-') return first > second ? first - second : null;
  return second % first === 0 ? second / first : null;
}

/** Returns five wrong answers: the other operators' results that are positive and wrong, then random numbers. */
function drawWrongAnswers(random: JavaRandom, { operator, first, second, answer }: Question): number[] {
  const [sum, product] = [first + second, first * second];
  const differences = [first - second, second - first];
  const quotients = [Math.trunc(second / first), Math.trunc(first / second)];
  const byOperator: Record<Operator, number[]> = {
    '+': [...differences, product, ...quotients],
    '-': [sum, second - first, product, ...quotients],
    '*': [sum, ...differences, ...quotients],
    '/': [sum, ...differences, product, Math.trunc(first / second)],
  };
  const wrong = byOperator[operator].filter((number) => number > 0 && number !== answer);
  while (wrong.length < 5) {
    const number = random.nextInt(MOST - 1) + 1;
    if (number !== answer && !wrong.includes(number)) wrong.push(number);
  }
  return wrong;
}
