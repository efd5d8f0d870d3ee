// A game in rooms: moving, doors, carrying, and the list of actions that are possible now, in the engine's order.
// Each game adds its own actions for visible and for carried things, and its score.
import { JavaRandom } from '../java-random.js';
import { describeInventory, describeRoom, describeThing, list } from '../texts.js';
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
import type { Score, TextGame, Turn } from './text-game.js';

/** An action's text and what it does; the outcome is what the player reads. */
export type Action = readonly [text: string, run: () => string];

export interface RoomGameOptions {
  rooms: readonly Room[];
  start: Room;
  /** How many things can be carried, or null for no limit. */
  carryLimit: number | null;
  /** Seed of the generator that shuffles the valid actions: 0 in most games, whatever the world. */
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
  #possible = new Map<string, () => string>();

  constructor({ rooms, start, carryLimit, shuffleSeed }: RoomGameOptions) {
    this.rooms = rooms;
    this.room = start;
    this.#carryLimit = carryLimit;
    this.#shuffler = new JavaRandom(shuffleSeed);
  }

  begin(): Turn {
    return this.#turn(describeRoom(this.room));
  }

  act(action: string): Turn {
    const run = this.#possible.get(action);
    if (run === undefined) throw new Error(`'${action}' is not a valid action now; only valid actions are played`);
    return this.#turn(run());
  }

  isPossible(action: string): boolean {
    return this.#possible.has(action);
  }

  /** The state's score after an action. */
  protected abstract score(): Score;
  /** Actions on a thing that is seen, in order. */
  protected abstract actionsOnVisible(thing: Thing): Action[];
  /** Actions with a thing that is carried, in order. */
  protected abstract actionsOnCarried(thing: Thing, visible: readonly Thing[]): Action[];

  /** Actions that need no thing, between "inventory" and the moves. */
  protected generalActions(): Action[] {
    return [];
  }

  #turn(observation: string): Turn {
    const score = this.score();
    const actions = this.#actions();
    // Where two things share a name, the text means the first of them.
    this.#possible = new Map([...actions].reverse());
    return {
      observation,
      look: describeRoom(this.room),
      inventory: this.#describeInventory(),
      validActions: this.#shuffler.shuffle(actions.map(([text]) => text)),
      score,
    };
  }

  #actions(): Action[] {
    const visible = visibleThings(this.room);
    const exits = directions.flatMap((direction) => {
      const exit = this.room.exits[direction];
      return exit === null ? [] : [[direction, exit] as const];
    });
    return [
      ['look around', () => describeRoom(this.room)],
      ['inventory', () => this.#describeInventory()],
      ...this.generalActions(),
      ...exits.map(([direction, exit]): Action => [`move ${direction}`, () => this.#walk(exit)]),
      ...exits.flatMap(([direction, { to, door }]) => (door === null ? [] : doorActions(direction, door, to))),
      ...visible.flatMap((thing) => this.actionsOnVisible(thing)),
      ...this.inventory.contents.flatMap((thing) => this.actionsOnCarried(thing, visible)),
    ];
  }

  #describeInventory(): string {
    return describeInventory(this.inventory, this.#carryLimit);
  }

  #walk({ to, door }: Exit): string {
    if (door?.isOpen === false) return `The ${door.name} is closed, so you stay where you are.`;
    this.room = to;
    return describeRoom(to);
  }

  protected take(thing: Thing): Action[] {
    return thing.isMovable ? [[`take ${thing.name}`, () => this.#pickUp(thing)]] : [];
  }

  #pickUp(thing: Thing): string {
    const { length } = this.inventory.contents;
    if (this.#carryLimit !== null && length >= this.#carryLimit) {
      return `Your hands are full: you already carry ${length} things.`;
    }
    move(thing, this.inventory);
    return `You pick up the ${thing.name}.`;
  }

  protected openOrClose(thing: Thing): Action[] {
    if (thing.kind !== 'cupboard') return [];
    return [thing.isOpen ? [`close ${thing.name}`, () => shut(thing)] : [`open ${thing.name}`, () => open(thing)]];
  }

  protected put(thing: Thing, where: Thing): Action[] {
    if (!where.isOpenContainer) return [];
    const run = () => {
      move(thing, where);
      return `You leave the ${thing.name} ${where.kind === 'surface' ? 'on' : 'in'} the ${where.name}.`;
    };
    return [[`put ${thing.name} in ${where.name}`, run]];
  }

  protected read(thing: Thing): Action[] {
    if (thing.text === null) return [];
    const run = () => {
      thing.hasBeenRead = true;
      return thing.text ?? '';
    };
    return [[`read ${thing.name}`, run]];
  }

  protected examine(thing: Thing): Action {
    return [`examine ${thing.name}`, () => `It is ${describeThing(thing)}.`];
  }
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

/** Both are always possible; the useless one says so. */
function doorActions(direction: Direction, door: Door, beyond: Room): Action[] {
  const openDoor = () => {
    if (door.isOpen) return `The ${door.name} already stands open.`;
    door.isOpen = true;
    return `You open the ${door.name}. Behind it is the ${beyond.name}.`;
  };
  const closeDoor = () => {
    if (!door.isOpen) return `The ${door.name} is closed already.`;
    door.isOpen = false;
    return `You shut the ${door.name} to the ${beyond.name}.`;
  };
  return [
    [`open door to ${direction}`, openDoor],
    [`close door to ${direction}`, closeDoor],
  ];
}
