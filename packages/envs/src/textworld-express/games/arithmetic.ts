// Plays the game Arithmetic: the agent reads a problem and puts the bundle with the answer's number of things into the box. Both
// are one point each; a wrong thing in the box ends the game with the score −2.
import { drawArithmeticProblems, type ArithmeticProblem } from '../content/problems.js';
import { nouns, type Noun } from '../content/words.js';
import { JavaRandom } from '../java-random.js';
import { gameSetNumber, type Fold } from '../parameters.js';
import { move, Thing, type Room } from '../things.js';
import { drawRoom, failure, OneRoomGame, spread } from './one-room-game.js';
import type { GameKind, Score, WorldChoice } from './text-game.js';

export const arithmetic: GameKind = {
  name: 'arithmetic',
  parameters: [],
  make: (choice) => new ArithmeticGame(choice),
  goldPath: (choice) => {
    const { name } = new ArithmeticGame(choice).rightBundle;
    return ['take math problem', 'read math problem', `take ${name}`, `put ${name} in box`];
  },
};

const MOST_POINTS = 2;

class ArithmeticGame extends OneRoomGame {
  readonly taskDescription =
    'Take and read the math problem and solve it. Then put the bundle with as many things as the answer into the box.';
  readonly properties: Readonly<Record<string, number>>;
  readonly rightBundle: Thing;
  readonly #problem: Thing;
  readonly #box: Thing;

  constructor({ seed, fold }: WorldChoice) {
    const random = new JavaRandom(seed);
    const problem = problemOf(fold, seed);
    const { room, sheet, box, rightBundle } = makeWorld(random, fold, problem);
    super({ rooms: [room], start: room, carryLimit: null, shuffleSeed: 0 });
    this.#problem = sheet;
    this.#box = box;
    this.rightBundle = rightBundle;
    this.properties = {
      seed,
      gameSet: gameSetNumber(fold),
      hidden_num1: problem.first,
      hidden_num2: problem.second,
      hidden_op: '+-*/'.indexOf(problem.operator),
    };
  }

  protected override score(): Score {
    const { contents } = this.#box;
    if (contents.some((thing) => thing.name !== this.rightBundle.name)) return failure(-MOST_POINTS);
    const raw = Number(this.#problem.hasBeenRead) + contents.length;
    return { raw, normalized: raw / MOST_POINTS, won: raw >= MOST_POINTS, failed: false };
  }
}

let problems: Record<Fold, ArithmeticProblem[]> | undefined;

function problemOf(fold: Fold, seed: number): ArithmeticProblem {
  problems ??= drawArithmeticProblems();
  const { length } = problems[fold];
  return problems[fold][((seed % length) + length) % length];
}

/** Generates a world. It draws in this order: room, nouns, order of the bundles, places of the bundles. */
function makeWorld(random: JavaRandom, fold: Fold, problem: ArithmeticProblem) {
  const room: Room = drawRoom(random);
  const sheet = new Thing('math problem', { text: problemText(problem) });
  const box = new Thing('box', { kind: 'box' });
  move(sheet, room);
  move(box, room);
  const [noun, ...otherNouns] = random.shuffle(nouns[fold]);
  const rightBundle = makeBundle(problem.answer, noun);
  const wrongBundles = problem.wrongAnswers.map((number, i) => makeBundle(number, otherNouns[i]));
  spread(random, [rightBundle, ...wrongBundles], room);
  return { room, sheet, box, rightBundle };
}

const makeBundle = (count: number, { one, many }: Noun) =>
  new Thing(`${count} ${count === 1 ? one : many}`, { article: '' });

function problemText({ operator, first, second }: ArithmeticProblem): string {
  const question = { '+': `${first} + ${second}`, '-': `${first} - ${second}`, '*': `${first} x ${second}` };
  const asked = operator === '/' ? `${second} divided by ${first}` : question[operator];
  return `The math problem: how much is ${asked}? Put the bundle with that many things into the box.`;
}
