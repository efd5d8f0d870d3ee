// The rooms of our own households: furniture, properties of things, and their usual places.
import { fromDataFile } from '../data-file.js';

export type RoomKind = 'kitchen' | 'bathroom' | 'bedroom' | 'livingroom';

export interface ThingKind {
  kind: string;
  rooms: readonly RoomKind[];
  /** Furniture that may contain it, the most likely first. */
  places: readonly string[];
  /** The treatments that it allows, beside being carried. */
  does: readonly ('clean' | 'heat' | 'cool' | 'slice')[];
  /** Whether it is a lamp, which is switched on and not carried. */
  lamp?: boolean;
}

interface Furnishings {
  /** The least and the largest number of each piece of furniture. */
  rooms: Record<RoomKind, Record<string, readonly [number, number]>>;
  /** Furniture with a door or a lid. */
  openable: readonly string[];
  things: readonly ThingKind[];
}

export const furnishings = fromDataFile('alfworld/furnishings.json', (data: Furnishings) => data);
