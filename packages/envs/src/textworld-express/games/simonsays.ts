// Plays the game Simon Says: the agent repeats the actions that Simon says, one at a time, or all of them from memory. The score
// is the share of the actions that were done; a wrong action ends the game with the score −1.
import { gestures, nouns } from '../content/words.js';
import { JavaRandom } from '../java-random.js';
import { gameSetNumber, isOn, type Fold, type ParameterSpec } from '../parameters.js';
import type { GameKind, Score, TextGame, GameTurn, WorldChoice } from './text-game.js';

const parameters: readonly ParameterSpec[] = [
  { name: 'gameLength', default: 5, range: [1, 1000], meaning: 'actions that Simon asks for' },
  { name: 'numDistractors', default: 3, range: [0, 5], meaning: 'further actions offered, some of them perhaps twice' },
  { name: 'memorization', default: 0, range: 'flag', meaning: 'Simon says everything once, at the start' },
  { name: 'verbose', default: 0, range: 'flag', meaning: 'with memorization: say after each action that it was right' },
];

export const simonsays: GameKind = {
  name: 'simonsays',
  parameters,
  make: (choice) => new SimonSaysGame(choice),
  goldPath: (choice) => [...new SimonSaysGame(choice).script],
};

const NOUNS = 10;
const verbs = ['take', 'eat', 'examine', 'smell', 'touch', 'slice'];

class SimonSaysGame implements TextGame {
  readonly taskDescription = 'Do what Simon says, nothing else, and in his order.';
  readonly properties: Readonly<Record<string, number>>;
  readonly script: readonly string[];
  readonly #offered: readonly string[];
  readonly #isFromMemory: boolean;
  readonly #confirms: boolean;
  readonly #shuffler: JavaRandom;
  #done = 0;
  #failed = false;

  constructor({ seed, fold, parameters: values }: WorldChoice) {
    const { gameLength, numDistractors, memorization, verbose } = values;
    this.#isFromMemory = isOn(memorization);
    this.#confirms = isOn(verbose);
    this.#offered = drawActions(new JavaRandom(seed), fold, gameLength + numDistractors);
    this.script = this.#offered.slice(0, gameLength);
    this.#shuffler = new JavaRandom(seed);
    this.properties = {
      seed,
      gameLength,
      numDistractors,
      ...(this.#isFromMemory ? { verbose } : {}),
      gameSet: gameSetNumber(fold),
    };
  }

  begin(): GameTurn {
    const [first] = this.script;
    return this.#turn(this.#isFromMemory ? `Simon says, in this order: ${this.script.join(', ')}.` : simonSays(first));
  }

  act(action: string): GameTurn {
    const isRight = action === this.script[this.#done];
    if (isRight) this.#done++;
    else this.#failed = true;
    return this.#turn(this.#answer(isRight));
  }

  #answer(isRight: boolean): string {
    if (!isRight) return 'Simon did not say that.';
    if (this.#done === this.script.length) return 'That was all that Simon said. You win.';
    if (!this.#isFromMemory) return simonSays(this.script[this.#done]);
    return this.#confirms ? 'Right.' : '';
  }

  #turn(observation: string): GameTurn {
    const score: Score = this.#failed
      ? { raw: -1, normalized: -1, won: false, failed: true }
      : {
          raw: this.#done,
          normalized: this.#done / this.script.length,
          won: this.#done === this.script.length,
          failed: false,
        };
    return { observation, look: '', inventory: '', validActions: this.#shuffler.shuffle(this.#offered), score };
  }
}

const simonSays = (action: string) => `Simon says: ${action}.`;

/** Draws actions with replacement. They are the combinations of ten nouns and six verbs, and the fold's gestures. */
function drawActions(random: JavaRandom, fold: Fold, count: number): string[] {
  const chosen = random.shuffle(random.shuffle(nouns[fold])).slice(0, NOUNS);
  const pool = chosen.flatMap(({ one }) => verbs.map((verb) => `${verb} ${one}`));
  const shuffled = random.shuffle([...pool, ...gestures[fold]]);
  return Array.from({ length: count }, () => random.choice(shuffled));
}
