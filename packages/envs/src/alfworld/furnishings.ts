// Our own rooms: their furniture, the properties of things, and their usual places.

export type RoomKind = 'kitchen' | 'bathroom' | 'bedroom' | 'livingroom';

export interface Furniture {
  kind: string;
  /** Least and most of them in a room. */
  count: readonly [number, number];
}

const furniture = (kind: string, least: number, most: number): Furniture => ({ kind, count: [least, most] });

export const rooms: Readonly<Record<RoomKind, readonly Furniture[]>> = {
  kitchen: [
    furniture('cabinet', 3, 6),
    furniture('drawer', 1, 3),
    furniture('countertop', 1, 3),
    furniture('diningtable', 0, 1),
    furniture('shelf', 0, 2),
    furniture('stoveburner', 2, 4),
    ...['fridge', 'microwave', 'sinkbasin', 'coffeemachine', 'toaster', 'garbagecan'].map((kind) =>
      furniture(kind, 1, 1),
    ),
  ],
  bathroom: [
    furniture('cabinet', 2, 4),
    furniture('drawer', 0, 2),
    furniture('countertop', 1, 1),
    furniture('sinkbasin', 1, 2),
    furniture('shelf', 0, 2),
    ...['toilet', 'bathtubbasin', 'handtowelholder', 'towelholder', 'toiletpaperhanger', 'garbagecan'].map((kind) =>
      furniture(kind, 1, 1),
    ),
  ],
  bedroom: [
    furniture('drawer', 2, 5),
    furniture('shelf', 1, 3),
    furniture('sidetable', 1, 2),
    furniture('desk', 1, 1),
    furniture('dresser', 0, 1),
    furniture('safe', 0, 1),
    furniture('armchair', 0, 1),
    ...['bed', 'laundryhamper', 'garbagecan'].map((kind) => furniture(kind, 1, 1)),
  ],
  livingroom: [
    furniture('drawer', 1, 3),
    furniture('cabinet', 0, 2),
    furniture('shelf', 1, 3),
    furniture('sidetable', 1, 2),
    furniture('armchair', 1, 2),
    furniture('safe', 0, 1),
    furniture('dresser', 0, 1),
    furniture('diningtable', 0, 1),
    ...['sofa', 'coffeetable', 'tvstand', 'garbagecan'].map((kind) => furniture(kind, 1, 1)),
  ],
};

/** Furniture with a door or a lid. */
export const openable: ReadonlySet<string> = new Set(['cabinet', 'drawer', 'fridge', 'microwave', 'safe']);

export interface ThingKind {
  kind: string;
  rooms: readonly RoomKind[];
  /** Furniture that may contain it, the most likely first. */
  places: readonly string[];
  /** What can be done to it besides carrying it. */
  does: readonly ('clean' | 'heat' | 'cool' | 'slice')[];
  /** Lamps are switched on and not carried. */
  lamp?: boolean;
}

const thing = (kind: string, room: RoomKind | readonly RoomKind[], places: string, does: string = ''): ThingKind => ({
  kind,
  rooms: typeof room === 'string' ? [room] : room,
  places: places.split(' '),
  does: does === '' ? [] : (does.split(' ') as ThingKind['does']),
});

const surfaces = 'countertop diningtable';
const food = `${surfaces} fridge sinkbasin garbagecan microwave`;
const dishes = `cabinet ${surfaces} shelf sinkbasin`;
const cutlery = `drawer ${surfaces} sinkbasin`;
const lounge = 'coffeetable sidetable shelf desk dresser drawer tvstand diningtable';

export const thingKinds: readonly ThingKind[] = [
  thing('apple', 'kitchen', food, 'clean heat cool slice'),
  thing('bread', 'kitchen', `${surfaces} fridge microwave`, 'heat cool slice'),
  thing('egg', 'kitchen', food, 'clean heat cool'),
  thing('lettuce', 'kitchen', food, 'clean cool slice'),
  thing('potato', 'kitchen', food, 'clean heat cool slice'),
  thing('tomato', 'kitchen', food, 'clean heat cool slice'),
  thing('bowl', 'kitchen', `${dishes} fridge microwave`, 'clean heat cool'),
  thing('cup', 'kitchen', `${dishes} fridge microwave`, 'clean heat cool'),
  thing('mug', ['kitchen', 'bedroom'], `coffeemachine ${dishes} fridge microwave desk sidetable`, 'clean heat cool'),
  thing('plate', 'kitchen', `${dishes} fridge microwave`, 'clean heat cool'),
  thing('pan', 'kitchen', `stoveburner ${dishes} fridge`, 'clean cool'),
  thing('pot', 'kitchen', `stoveburner ${dishes} fridge`, 'clean cool'),
  thing('kettle', 'kitchen', `stoveburner ${dishes}`, 'clean'),
  ...['fork', 'knife', 'butterknife', 'spoon', 'spatula', 'ladle'].map((kind) =>
    thing(kind, 'kitchen', cutlery, 'clean'),
  ),
  thing('dishsponge', 'kitchen', `sinkbasin ${dishes} drawer`, 'clean'),
  ...['saltshaker', 'peppershaker'].map((kind) =>
    thing(kind, 'kitchen', `countertop cabinet drawer diningtable shelf`),
  ),
  thing('winebottle', 'kitchen', `${surfaces} cabinet fridge garbagecan`, 'cool'),
  thing('soapbottle', ['kitchen', 'bathroom'], 'countertop cabinet sinkbasin toilet garbagecan shelf drawer'),
  thing('soapbar', 'bathroom', 'sinkbasin bathtubbasin countertop toilet cabinet drawer garbagecan shelf', 'clean'),
  thing('cloth', 'bathroom', 'countertop bathtubbasin cabinet drawer sinkbasin toilet shelf', 'clean'),
  thing('spraybottle', 'bathroom', 'countertop toilet cabinet shelf garbagecan drawer'),
  thing('toiletpaper', 'bathroom', 'toiletpaperhanger toilet countertop cabinet drawer shelf garbagecan'),
  thing('handtowel', 'bathroom', 'handtowelholder countertop cabinet shelf'),
  thing('towel', 'bathroom', 'towelholder bathtubbasin countertop'),
  thing(
    'candle',
    ['bathroom', 'livingroom'],
    'toilet countertop cabinet drawer shelf coffeetable sidetable diningtable',
  ),
  ...['alarmclock', 'cd', 'pen', 'pencil', 'cellphone'].map((kind) =>
    thing(kind, 'bedroom', 'desk sidetable dresser shelf drawer bed garbagecan'),
  ),
  ...['keychain', 'creditcard'].map((kind) => thing(kind, ['bedroom', 'livingroom'], `${lounge} safe armchair sofa`)),
  thing('book', ['bedroom', 'livingroom'], `bed ${lounge} sofa armchair`),
  thing('laptop', ['bedroom', 'livingroom'], 'desk bed coffeetable sofa diningtable armchair dresser tvstand'),
  thing('pillow', ['bedroom', 'livingroom'], 'bed sofa armchair'),
  ...['basketball', 'baseballbat', 'tennisracket'].map((kind) =>
    thing(kind, 'bedroom', 'bed desk armchair dresser laundryhamper'),
  ),
  ...['newspaper', 'remotecontrol'].map((kind) => thing(kind, 'livingroom', `${lounge} sofa armchair garbagecan`)),
  ...['statue', 'vase', 'tissuebox', 'watch'].map((kind) => thing(kind, 'livingroom', `${lounge} cabinet safe`)),
  { ...thing('desklamp', ['bedroom', 'livingroom'], 'desk sidetable dresser shelf'), lamp: true },
];
