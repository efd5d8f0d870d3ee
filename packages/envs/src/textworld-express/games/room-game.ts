// Defines the base class of the TextWorldExpress games, with rooms, moves, doors, carrying, and the list of valid actions in the
// order of TextWorldExpress's program. A subclass adds its own actions on visible and carried things, and the score.
import { JavaRandom } from '../java-random.js';
import { describeInventory, describeRoom, describeThing, list, prepositionFor } from '../texts.js';
import {
  directions,
  move,
  visibleThings,
  type Direction,
  type Door,
  type Exit,
  type Holder,
  type Room,
  type Thing,
} from '../things.js';
import type { Score, TextGame, GameTurn } from './text-game.js';

/** A valid action: its text, and a function that carries it out and returns the observation. */
interface Action {
  readonly text: string;
  readonly run: () => string;
}

interface RoomGameOptions {
  rooms: readonly Room[];
  start: Room;
  carryLimit: number | null;
  /** The seed with which the list of valid actions is shuffled. In most games it is 0 for every world. */
  shuffleSeed: number;
}

export abstract class RoomGame implements TextGame {
  abstract readonly taskDescription: string;
  abstract readonly properties: Readonly<Record<string, number>>;
  readonly rooms: readonly Room[];
  readonly inventory: Holder = { name: 'inventory', contents: [] };
  room: Room;
  readonly #carryLimit: number | null;
  readonly #shuffler: JavaRandom;
  /** The valid actions. If two things have the same name, an action's text refers to the first of them. */
  #actions: Action[] = [];

  constructor({ rooms, start, carryLimit, shuffleSeed }: RoomGameOptions) {
    this.rooms = rooms;
    this.room = start;
    this.#carryLimit = carryLimit;
    this.#shuffler = new JavaRandom(shuffleSeed);
  }

  begin(): GameTurn {
    return this.#turn(describeRoom(this.room));
  }

  act(action: string): GameTurn {
    const chosen = this.#actions.find(({ text }) => text === action);
    if (chosen === undefined) throw new Error(`'${action}' is not a valid action now; only valid actions are played`);
    return this.#turn(chosen.run());
  }

  isPossible(action: string): boolean {
    return this.#actions.some(({ text }) => text === action);
  }

  protected abstract score(): Score;
  protected abstract addActionsOnVisible(thing: Thing): void;
  protected abstract addActionsOnCarried(thing: Thing, visible: readonly Thing[]): void;

  /** Adds actions that are not on a thing. They come between "inventory" and the moves in the list of valid actions. */
  protected addGeneralActions(): void {}

  protected add(text: string, run: () => string): void {
    this.#actions.push({ text, run });
  }

  #turn(observation: string): GameTurn {
    const score = this.score();
    this.#findActions();
    return {
      observation,
      look: describeRoom(this.room),
      inventory: this.#describeInventory(),
      validActions: this.#shuffler.shuffle(this.#actions.map(({ text }) => text)),
      score,
    };
  }

  #findActions(): void {
    this.#actions = [];
    this.add('look around', () => describeRoom(this.room));
    this.add('inventory', () => this.#describeInventory());
    this.addGeneralActions();
    const { exits } = this.room;
    for (const direction of directions) {
      const exit = exits[direction];
      if (exit !== null) this.add(`move ${direction}`, () => this.#walk(exit));
    }
    for (const direction of directions) {
      const exit = exits[direction];
      if (exit !== null && exit.door !== null) this.#addDoorActions(direction, exit.door, exit.to);
    }
    const visible = visibleThings(this.room);
    for (const thing of visible) this.addActionsOnVisible(thing);
    for (const thing of this.inventory.contents) this.addActionsOnCarried(thing, visible);
  }

  /** Adds the actions of opening and closing a door. Both are always valid, and one of them has no effect. */
  #addDoorActions(direction: Direction, door: Door, beyond: Room): void {
    this.add(`open door to ${direction}`, () => {
      if (door.isOpen) return `The ${door.name} already stands open.`;
      door.isOpen = true;
      return `You open the ${door.name}. Behind it is the ${beyond.name}.`;
    });
    this.add(`close door to ${direction}`, () => {
      if (!door.isOpen) return `The ${door.name} is closed already.`;
      door.isOpen = false;
      return `You shut the ${door.name} to the ${beyond.name}.`;
    });
  }

  #describeInventory(): string {
    return describeInventory(this.inventory, this.#carryLimit);
  }

  #walk({ to, door }: Exit): string {
    if (door?.isOpen === false) return `The ${door.name} is closed, so you stay where you are.`;
    this.room = to;
    return describeRoom(to);
  }

  protected addTake(thing: Thing): void {
    if (thing.isMovable) this.add(`take ${thing.name}`, () => this.#pickUp(thing));
  }

  #pickUp(thing: Thing): string {
    const { length } = this.inventory.contents;
    if (this.#carryLimit !== null && length >= this.#carryLimit) {
      return `Your hands are full: you already carry ${length} things.`;
    }
    move(thing, this.inventory);
    return `You pick up the ${thing.name}.`;
  }

  protected addOpenOrClose(thing: Thing): void {
    if (thing.kind !== 'cupboard') return;
    if (thing.isOpen) this.add(`close ${thing.name}`, () => shut(thing));
    else this.add(`open ${thing.name}`, () => open(thing));
  }

  protected addPut(thing: Thing, where: Thing): void {
    if (!where.isOpenContainer) return;
    this.add(`put ${thing.name} in ${where.name}`, () => {
      move(thing, where);
      return `You leave the ${thing.name} ${prepositionFor(where)} the ${where.name}.`;
    });
  }

  protected addRead(thing: Thing): void {
    if (thing.text !== null) this.add(`read ${thing.name}`, () => read(thing));
  }

  /** Adds the action of examining a thing. If the thing has a text, examining it reads the text. */
  protected addExamine(thing: Thing): void {
    const run = () => (thing.text === null ? `It is ${describeThing(thing)}.` : read(thing));
    this.add(`examine ${thing.name}`, run);
  }
}

function read(thing: Thing): string {
  thing.hasBeenRead = true;
  return thing.text ?? '';
}

function open(thing: Thing): string {
  thing.isOpen = true;
  return thing.contents.length === 0
    ? `You open the ${thing.name} and find it empty.`
    : `You open the ${thing.name} and find ${list(thing)}.`;
}

function shut(thing: Thing): string {
  thing.isOpen = false;
  return `You shut the ${thing.name}.`;
}
