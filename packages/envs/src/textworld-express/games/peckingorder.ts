// Plays the game Pecking Order: a book says which thing the agent must take next; only after that thing is taken does it say the
// following one. The score is the share of the four things that were taken; taking a wrong thing ends the game.
import { nouns } from '../content/words.js';
import { JavaRandom } from '../java-random.js';
import { gameSetNumber } from '../parameters.js';
import { move, Thing } from '../things.js';
import { drawRoom, failure, OneRoomGame, spread } from './one-room-game.js';
import type { GameKind, Score, GameTurn, WorldChoice } from './text-game.js';

export const peckingorder: GameKind = {
  name: 'peckingorder',
  parameters: [],
  make: (choice) => new PeckingOrderGame(choice),
  goldPath: (choice) =>
    new PeckingOrderGame(choice).ordered.flatMap(({ name }) => ['read instructions book', `take ${name}`]),
};

const THINGS = 4;

class PeckingOrderGame extends OneRoomGame {
  readonly taskDescription =
    'Read the instructions book and do what it says. Read it again after every step, until there is nothing left to do.';
  readonly properties: Readonly<Record<string, number>>;
  readonly ordered: Thing[];
  readonly #tellsNamesakesApart: boolean;
  readonly #book = new Thing('instructions book', { text: '', isMovable: false });

  constructor({ seed, fold, content }: WorldChoice) {
    // Numbers are drawn in the same order as in TextWorldExpress's program: room, nouns (shuffled twice), order of the things,
    // their places.
    const random = new JavaRandom(seed);
    const room = drawRoom(random);
    super({ rooms: [room], start: room, carryLimit: null, shuffleSeed: seed });
    this.#tellsNamesakesApart = content.isFromFiles;
    move(this.#book, room);
    const drawn = random.shuffle(random.shuffle(nouns[fold])).slice(0, THINGS);
    this.ordered = drawn.map(({ one }) => new Thing(one));
    spread(random, this.ordered, room);
    this.properties = { seed, gameSet: gameSetNumber(fold) };
  }

  override act(action: string): GameTurn {
    const next = this.ordered.at(this.inventory.contents.length);
    this.#book.text = next === undefined ? 'Nothing is left to do.' : `Next, take the ${next.name}.`;
    return super.act(action);
  }

  /** Adds the action of reading the book, which is possible without taking it. */
  protected override addActionsOnVisible(thing: Thing): void {
    this.addTake(thing);
    this.addRead(thing);
  }

  protected override score(): Score {
    const { length } = this.inventory.contents;
    if (!this.#tellsNamesakesApart) this.#acceptNamesakes(length);
    if (!this.ordered.slice(0, length).every((thing) => thing.holder === this.inventory)) return failure(-1);
    return { raw: length, normalized: length / THINGS, won: length === THINGS, failed: false };
  }

  /**
   * Accepts any thing with the right name: in the dev fold two cucumbers may be drawn, and "take cucumber" takes the first in
   * view. TextWorldExpress accepts only the one drawn first, so that 55 of its thousand dev worlds cannot be won; with its
   * content files, this is reproduced.
   */
  #acceptNamesakes(taken: number): void {
    for (let i = 0; i < taken; i++) {
      const wanted = this.ordered[i];
      const other = this.ordered.findIndex((thing, j) => j > i && thing.name === wanted.name);
      if (wanted.holder === this.inventory || other < 0 || this.ordered[other].holder !== this.inventory) continue;
      [this.ordered[i], this.ordered[other]] = [this.ordered[other], wanted];
    }
  }
}
