// Generates the hundred problems of each fold for sorting and arithmetic, which equal those of TextWorldExpress.
import { JavaRandom } from '../java-random.js';
import { folds, type Fold } from '../parameters.js';
import { materials, nouns } from './words.js';

/** The number of arithmetic problems for each operator in a fold. */
const PER_KIND = 25;
const MOST = 50;
/** The seed for drawing wrong answers, reconstructed from the problems that TextWorldExpress publishes. */
const FILLER_SEED = 0xbfd676416739n;

export interface SortingItem {
  /** The name of the thing in the game: "9 pears", "13mg of wood". */
  readonly name: string;
  /** The quantity in the smallest unit of its property, such as millimetres for a length. */
  readonly size: number;
}

/** The units of each property (length, mass, …), the smallest first, as multiples of the smallest unit. */
const unitsByProperty: readonly Readonly<Record<string, number>>[] = [
  { mm: 1, cm: 10, m: 1000 },
  { mg: 1, g: 1000, kg: 1_000_000 },
  { ml: 1, l: 1000 },
];

/** Returns the items of each sorting problem in ascending order of quantity, in which the agent must put them into the box. */
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

/** Draws a sorting problem: three to five items of different quantities, in ascending order. */
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
  /** The second number of the question; in a division it is the dividend, and `first` the divisor. */
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

/** Draws distinct questions. A sum or product with swapped numbers is not distinct. */
function drawQuestions(random: JavaRandom, operator: Operator, count: number): Question[] {
  const questions = new Map<string, Question>();
  while (questions.size < count) {
    // The first number is the divisor of a division, which is never one.
    const first = random.nextInt(MOST - 1) + (operator === '/' ? 2 : 1);
    const second = random.nextInt(MOST - 1) + 1;
    const answer = answerTo(operator, first, second);
    const isCommutative = operator === '+' || operator === '*';
    const key = isCommutative && first > second ? `${second},${first}` : `${first},${second}`;
    if (answer !== null && !questions.has(key)) questions.set(key, { operator, first, second, answer });
  }
  return [...questions.values()];
}

/** Returns the answer to a question; null if the question is not usable, since its answer is not a positive integer. */
function answerTo(operator: Operator, first: number, second: number): number | null {
  if (operator === '+') return first + second;
  if (operator === '*') return first * second;
  if (operator === '-') return first > second ? first - second : null;
  return second % first === 0 ? second / first : null;
}

/** Returns five wrong answers: results of the other operators that are positive and wrong, then random numbers. */
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
