// Defines the things, rooms and doors of a TextWorldExpress world. A room, a container or the inventory holds a thing.

/** `surface`, `cupboard` and `box` are containers; only a cupboard can be opened and closed, the others are always open. */
export type ThingKind = 'item' | 'fixture' | 'device' | 'surface' | 'cupboard' | 'box';

/** An object that contains or holds things: a room, the inventory or a container. */
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
  /** Whether the thing can be moved. Default: true for items, false for all other kinds. */
  isMovable?: boolean;
  /** The article 'a', 'an', 'some' or ''. Default: 'a' or 'an', by the first letter of the name. */
  article?: string;
  /** The names of the places where the thing belongs. */
  homes?: readonly string[];
  food?: FoodState;
  /** The text that is written on the thing. Only things with a text can be read. */
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

  /** Whether the things inside are visible, and others can be put in. */
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

/** A door between two rooms. Both rooms share this object. */
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
    /** The names of the rooms that may be adjacent to this room. */
    readonly joins: readonly string[] = [],
  ) {}
}

/** Moves a thing to the end of another holder's list; null removes it from the world. */
export function move(thing: Thing, to: Holder | null): void {
  const from = thing.holder?.contents;
  if (from !== undefined) from.splice(from.indexOf(thing), 1);
  thing.holder = to;
  to?.contents.push(thing);
}

/** Returns all visible things in a holder and its open containers, depth first, in the order in which they were put there. */
export function visibleThings(holder: Holder, found: Thing[] = []): Thing[] {
  for (const thing of holder.contents) {
    found.push(thing);
    if (thing.isOpenContainer) visibleThings(thing, found);
  }
  return found;
}
