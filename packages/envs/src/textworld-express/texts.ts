// Writes the descriptions of things, rooms and inventory for the TextWorldExpress games, in our own wording.
import { directions, type Exit, type Direction, type Holder, type Room, type Thing } from './things.js';

const hollow = new Set([
  'garden',
  'showcase',
  'laundry basket',
  'sink',
  'bath tub',
  'shower',
  'umbrella stand',
  'book case',
]);

/** Returns the preposition of furniture: "on" a counter, but "in" a fridge and some places that are always open. */
export const prepositionFor = (place: Thing): 'in' | 'on' =>
  place.kind === 'surface' && !hollow.has(place.name) ? 'on' : 'in';

/** Describes a thing: "a raw leek", "an open fridge (in it: some milk)", "a counter". */
export function describeThing(thing: Thing): string {
  switch (thing.kind) {
    case 'item':
      return describeItem(thing);
    case 'cupboard':
      return thing.isOpen ? withContents(thing, `an open ${thing.name}`, ' (empty)') : `a closed ${thing.name}`;
    case 'box':
      return withContents(thing, named(thing), ' (empty)');
    case 'surface':
      return withContents(thing, named(thing), '');
    case 'device':
    case 'fixture':
      return named(thing);
  }
}

function withContents(thing: Thing, name: string, whenEmpty: string): string {
  return name + (thing.contents.length === 0 ? whenEmpty : ` (${prepositionFor(thing)} it: ${list(thing)})`);
}

function describeItem(thing: Thing): string {
  const { food } = thing;
  const adjectives = food === null ? [] : [food.isRaw && food.needsCooking ? 'raw' : null, food.cooked, food.cut];
  return [thing.article, ...adjectives, thing.name].filter((word) => word !== null && word !== '').join(' ');
}

const named = (thing: Thing) => `${thing.article} ${thing.name}`;

/** Lists the things in a holder (a room, a container or the inventory) in order: "a knife, some milk". */
export const list = (holder: Holder) => holder.contents.map(describeThing).join(', ');

export function describeRoom(room: Room): string {
  const things = room.contents.length === 0 ? 'There is nothing here.' : `You see ${list(room)}.`;
  const exits = directions.flatMap((direction) => {
    const exit = room.exits[direction];
    return exit === null ? [] : [describeExit(direction, exit)];
  });
  const lines = [`You are in the ${room.name}. ${things}`];
  if (exits.length > 0) lines.push(`Ways out: ${exits.join('; ')}.`);
  return lines.join('\n');
}

function describeExit(direction: Direction, { to, door }: Exit): string {
  if (door === null) return `${direction} to the ${to.name}`;
  return door.isOpen
    ? `${direction} through the open ${door.name} to the ${to.name}`
    : `${direction}, a closed ${door.name}`;
}

/** Describes the inventory. @param limit largest number of things that the agent can carry; null: no limit */
export function describeInventory(inventory: Holder, limit: number | null): string {
  const { length } = inventory.contents;
  const room = limit === null ? '' : ` (${length} of at most ${limit} things)`;
  return length === 0 ? `You carry nothing${room}.` : `You carry${room}: ${list(inventory)}.`;
}
