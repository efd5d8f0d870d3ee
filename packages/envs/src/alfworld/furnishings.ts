// Reads the catalogue from which households are generated: furniture of rooms, properties and usual places of things.
import { fromDataFile } from '../data-file.js';

export type RoomKind = 'kitchen' | 'bathroom' | 'bedroom' | 'livingroom';

export interface ThingKind {
  kind: string;
  rooms: readonly RoomKind[];
  /** Furniture in or on which the thing may be, the most likely place first. */
  places: readonly string[];
  does: readonly ('clean' | 'heat' | 'cool' | 'slice')[];
  /** Whether the thing is a lamp, which can be switched on and cannot be carried. */
  lamp?: boolean;
}

interface Furnishings {
  /** For each kind of room, the smallest and the largest number of each kind of furniture in it. */
  rooms: Record<RoomKind, Record<string, readonly [number, number]>>;
  openable: readonly string[];
  things: readonly ThingKind[];
}

export const furnishings = fromDataFile('alfworld/furnishings.json', (data: Furnishings) => data);
