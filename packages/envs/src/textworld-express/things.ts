// The parts of a world: things, rooms and doors, and the moves between holders.

/** `surface`, `cupboard` and `box` contain things; a cupboard can be opened and closed, the other two are always open. */
export type ThingKind = 'item' | 'fixture' | 'device' | 'surface' | 'cupboard' | 'box';

/** An object that has things in it: a room, the inventory, a container. */
export interface Holder {
  readonly name: string;
  readonly contents: Thing[];
}

export type CookingStyle = 'fried' | 'roasted' | 'grilled';
export const cuttingStyles = ['chopped', 'sliced', 'diced'] as const;
export type CuttingStyle = (typeof cuttingStyles)[number];

export const cuttingVerbs: Readonly<Record<CuttingStyle, string>> = { chopped: 'chop', sliced: 'slice', diced: 'dice' };
export const cookingVerbs: Readonly<Record<CookingStyle, string>> = {
  fried: 'fry',
  roasted: 'roast',
  grilled: 'grill',
};

interface FoodState {
  isEdible: boolean;
  isCookable: boolean;
  isCuttable: boolean;
  needsCooking: boolean;
  isRaw: boolean;
  cooked: CookingStyle | null;
  cut: CuttingStyle | null;
}

interface ThingOptions {
  kind?: ThingKind;
  /** Whether it can be moved. Only items can, and all of them unless this is false. */
  isMovable?: boolean;
  /** The article, 'a', 'an', 'some' or ''; by the first letter when left out. */
  article?: string;
  /** Names of the places where it belongs. */
  homes?: readonly string[];
  food?: FoodState;
  /** The text that is written on it; only things with a text can be read. */
  text?: string;
}

export class Thing implements Holder {
  readonly kind: ThingKind;
  readonly isMovable: boolean;
  readonly article: string;
  readonly homes: readonly string[];
  readonly food: FoodState | null;
  readonly contents: Thing[] = [];
  holder: Holder | null = null;
  isOpen: boolean;
  text: string | null;
  hasBeenRead = false;

  constructor(
    readonly name: string,
    options: ThingOptions = {},
  ) {
    this.kind = options.kind ?? 'item';
    this.isMovable = options.isMovable ?? this.kind === 'item';
    this.article = options.article ?? (/^[aeiou]/.test(name) ? 'an' : 'a');
    this.homes = options.homes ?? [];
    this.food = options.food ?? null;
    this.text = options.text ?? null;
    this.isOpen = this.kind === 'surface' || this.kind === 'box';
  }

  /** Whether things can be put into it and seen in it now. */
  get isOpenContainer(): boolean {
    return this.isOpen && this.kind !== 'item';
  }
}

export const directions = ['north', 'south', 'east', 'west'] as const;
export type Direction = (typeof directions)[number];

export const opposite: Readonly<Record<Direction, Direction>> = {
  north: 'south',
  south: 'north',
  east: 'west',
  west: 'east',
};

/** A door, one object for both sides. */
export interface Door {
  readonly name: string;
  isOpen: boolean;
}

export interface Exit {
  readonly to: Room;
  readonly door: Door | null;
}

export class Room implements Holder {
  readonly contents: Thing[] = [];
  readonly exits: Record<Direction, Exit | null> = { north: null, south: null, east: null, west: null };

  constructor(
    readonly name: string,
    /** Names of the rooms that may be placed next to it. */
    readonly joins: readonly string[] = [],
  ) {}
}

/** Takes the thing out of where it is and puts it last in the new holder; `null` takes it out of the world. */
export function move(thing: Thing, to: Holder | null): void {
  const from = thing.holder?.contents;
  if (from !== undefined) from.splice(from.indexOf(thing), 1);
  thing.holder = to;
  to?.contents.push(thing);
}

/** Returns all things that can be seen in a holder: depth first, in the order of arrival, open containers with their contents. */
export function visibleThings(holder: Holder, found: Thing[] = []): Thing[] {
  for (const thing of holder.contents) {
    found.push(thing);
    if (thing.isOpenContainer) visibleThings(thing, found);
  }
  return found;
}
