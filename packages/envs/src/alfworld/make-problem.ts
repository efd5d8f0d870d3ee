// Generates households from seeds: a room, its furniture and things, and one of the six tasks of ALFRED in it.
import type { Rng } from '@bowyer/core';
import { furnishings, type RoomKind, type ThingKind } from './furnishings.js';
import type { Problem, Receptacle, Task, TaskType, Thing } from './problem.js';
import { goalOf, goalText } from './tasks.js';

/** The largest number of rooms that are drawn until one has everything that the drawn task needs. */
const LARGEST_NUMBER_OF_DRAWS = 1000;

const MOST_OF_A_KIND = 3;

const treatmentOf: Partial<Record<TaskType, { does: ThingKind['does'][number]; appliance: string }>> = {
  pick_clean_then_place_in_recep: { does: 'clean', appliance: 'sinkbasin' },
  pick_heat_then_place_in_recep: { does: 'heat', appliance: 'microwave' },
  pick_cool_then_place_in_recep: { does: 'cool', appliance: 'fridge' },
};

/** Draws a household in which one of the given tasks is possible and not yet done. */
export function makeProblem(rng: Rng, types: readonly TaskType[]): Problem {
  const type = rng.choice(types);
  for (let draw = 0; draw < LARGEST_NUMBER_OF_DRAWS; draw++) {
    const room = rng.choice(Object.keys(furnishings().rooms) as RoomKind[]);
    const receptacles = furnish(rng, room);
    const task = drawTask(rng, type, room, receptacles);
    if (task) return fill(rng, room, receptacles, task);
  }
  throw new Error(`no room offers the task '${type}'`);
}

function furnish(rng: Rng, room: RoomKind): Receptacle[] {
  const { rooms, openable } = furnishings();
  return Object.entries(rooms[room]).flatMap(([kind, [least, most]]) =>
    Array.from({ length: rng.integer(least, most) }, (_, i) => ({
      name: `${kind} ${i + 1}`,
      kind,
      location: `at ${kind} ${i + 1}`,
      openable: openable.includes(kind),
    })),
  );
}

function drawTask(rng: Rng, type: TaskType, room: RoomKind, receptacles: readonly Receptacle[]): Task | null {
  const present = new Set(receptacles.map(({ kind }) => kind));
  const treatment = treatmentOf[type];
  if (treatment && !present.has(treatment.appliance)) return null;
  const lamps = furnishings().things.filter(({ lamp, rooms: where }) => lamp && where.includes(room));
  const isLight = type === 'look_at_obj_in_light';
  if (isLight && lamps.length === 0) return null;
  const objects = furnishings().things.filter(
    ({ lamp, rooms: where, does, places }) =>
      !lamp &&
      where.includes(room) &&
      (!treatment || does.includes(treatment.does)) &&
      places.filter((p) => present.has(p)).length > 1,
  );
  if (objects.length === 0) return null;
  const object = rng.choice(objects);
  if (isLight) return { type, object: object.kind, target: rng.choice(lamps).kind };
  const targets = object.places.filter((place) => present.has(place) && place !== treatment?.appliance);
  // At the start, the things to move must lie at another of their usual places than the target.
  const others = (target: string) => object.places.some((place) => present.has(place) && place !== target);
  const possible = targets.filter(others);
  return possible.length === 0 ? null : { type, object: object.kind, target: rng.choice(possible) };
}

/** Puts things in their usual places, but never the things to move in the task's target. */
function fill(rng: Rng, room: RoomKind, receptacles: readonly Receptacle[], task: Task): Problem {
  const wanted = task.type === 'pick_two_obj_and_place' ? 2 : 1;
  const things: Thing[] = [];
  const placements = new Map<string, string>();
  const inRoom = furnishings().things.filter(({ rooms: where }) => where.includes(room));
  for (const kind of inRoom) {
    const isLamp = kind.kind === task.target && kind.lamp === true;
    const least = kind.kind === task.object ? wanted : isLamp ? 1 : 0;
    const most = kind.lamp ? 1 : Math.max(least, MOST_OF_A_KIND);
    const places = receptacles.filter(
      (receptacle) =>
        kind.places.includes(receptacle.kind) && !(kind.kind === task.object && receptacle.kind === task.target),
    );
    if (places.length === 0) continue;
    const count = Math.max(least, rng.integer(0, most));
    for (let i = 1; i <= count; i++) {
      const name = `${kind.kind} ${i}`;
      things.push(thingOf(kind, name));
      placements.set(name, rng.choice(places).name);
    }
  }
  return {
    receptacles,
    things,
    placements,
    opened: new Set(),
    canContain: new Set(inRoom.flatMap(({ kind, places }) => places.map((place) => `${place} ${kind}`))),
    startLocation: 'middle of the room',
    goal: goalOf(task),
    goalText: goalText(task, rng.integer(0, 1) as 0 | 1),
    task,
  };
}

const thingOf = ({ kind, does, lamp = false }: ThingKind, name: string): Thing => ({
  name,
  kind,
  pickupable: !lamp,
  cleanable: does.includes('clean'),
  heatable: does.includes('heat'),
  coolable: does.includes('cool'),
  toggleable: lamp,
  sliceable: does.includes('slice'),
});
