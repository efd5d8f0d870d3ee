// The start of a household game: furniture, things with their places, and the goal.
import type { Formula } from './formula.js';

/** A piece of furniture, which contains things, and to which the agent can go. */
export interface Receptacle {
  /** The kind and number, as commands write it: `cabinet 3`. */
  name: string;
  kind: string;
  /** Receptacles with the same location are reached together. */
  location: string;
  openable: boolean;
}

export interface Thing {
  name: string;
  kind: string;
  pickupable: boolean;
  cleanable: boolean;
  heatable: boolean;
  coolable: boolean;
  toggleable: boolean;
  sliceable: boolean;
}

/** The six tasks of ALFRED, as ALFWorld names them. */
export const taskTypes = [
  'pick_and_place_simple',
  'look_at_obj_in_light',
  'pick_clean_then_place_in_recep',
  'pick_heat_then_place_in_recep',
  'pick_cool_then_place_in_recep',
  'pick_two_obj_and_place',
] as const;

export type TaskType = (typeof taskTypes)[number];

/** The task, in kinds of things. The expert plans by it; the goal formula decides whether the game is won. */
export interface Task {
  type: TaskType;
  /** Kind of the thing to bring or to look at. */
  object: string;
  /** Kind of the receptacle that it belongs to, or of the lamp to look at it by. */
  target: string;
}

export interface Problem {
  receptacles: readonly Receptacle[];
  things: readonly Thing[];
  /** The receptacle of each thing, by names. */
  placements: ReadonlyMap<string, string>;
  /** Names of the receptacles that stand open. */
  opened: ReadonlySet<string>;
  /** Pairs `receptacleKind objectKind` that say which things a receptacle may contain. */
  canContain: ReadonlySet<string>;
  startLocation: string;
  goal: Formula;
  /** The goal in words, without the full stop. */
  goalText: string;
  /** Null where the file does not say. */
  task: Task | null;
}
