// Plays the game Sorting: the agent puts things into the box from the smallest quantity to the largest; the quantities are in
// different units. The score is the share of the things in the box; a wrong order ends the game.
import { drawSortingProblems, type SortingItem } from '../content/problems.js';
import { JavaRandom } from '../java-random.js';
import { gameSetNumber, type Fold } from '../parameters.js';
import { move, Thing } from '../things.js';
import { drawRoom, failure, OneRoomGame, spread } from './one-room-game.js';
import type { GameKind, Score, WorldChoice } from './text-game.js';

export const sorting: GameKind = {
  name: 'sorting',
  parameters: [],
  make: (choice) => new SortingGame(choice),
  goldPath: (choice) => new SortingGame(choice).ordered.flatMap(({ name }) => [`take ${name}`, `put ${name} in box`]),
};

class SortingGame extends OneRoomGame {
  readonly taskDescription =
    'Put everything that is measured or counted here into the box, one by one, from the smallest quantity to the largest.';
  readonly properties: Readonly<Record<string, number>>;
  readonly ordered: readonly Thing[];
  readonly #box = new Thing('box', { kind: 'box' });

  constructor({ seed, fold }: WorldChoice) {
    // Numbers are drawn in the same order as in TextWorldExpress's program: room, order of the things, their places.
    const random = new JavaRandom(seed);
    const room = drawRoom(random);
    super({ rooms: [room], start: room, carryLimit: null, shuffleSeed: 0 });
    move(this.#box, room);
    this.ordered = problemOf(fold, seed).map(({ name }) => new Thing(name, { article: '' }));
    spread(random, this.ordered, room);
    this.properties = { seed, gameSet: gameSetNumber(fold), hidden_problemsize: this.ordered.length };
  }

  protected override score(): Score {
    const { length } = this.#box.contents;
    if (!this.ordered.slice(0, length).every((thing) => thing.holder === this.#box)) return failure(-1);
    return {
      raw: length,
      normalized: length / this.ordered.length,
      won: length === this.ordered.length,
      failed: false,
    };
  }
}

let problems: Record<Fold, SortingItem[][]> | undefined;

function problemOf(fold: Fold, seed: number): SortingItem[] {
  problems ??= drawSortingProblems();
  const { length } = problems[fold];
  return problems[fold][((seed % length) + length) % length];
}
