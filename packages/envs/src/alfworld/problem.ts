// Defines the initial state of a household game (furniture, things with their places) and its goal.
import type { Formula } from './formula.js';

/** A piece of furniture that can contain things. The agent's command `go to` names one. */
export interface Receptacle {
  /** Kind and number, as the agent's commands name it: `cabinet 3`. */
  name: string;
  kind: string;
  /** The name of a place in the room. The agent reaches all receptacles of one place at once. */
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

/** The six tasks of the ALFRED dataset, as ALFWorld names them. */
export const taskTypes = [
  'pick_and_place_simple',
  'look_at_obj_in_light',
  'pick_clean_then_place_in_recep',
  'pick_heat_then_place_in_recep',
  'pick_cool_then_place_in_recep',
  'pick_two_obj_and_place',
] as const;

export type TaskType = (typeof taskTypes)[number];

/** The task, stated by kinds of things. Only the expert uses it; the goal formula decides whether the game is won. */
export interface Task {
  type: TaskType;
  /** The kind of the thing to bring to the target or to look at. */
  object: string;
  /** The kind of the receptacle to which the thing must be brought, or of the lamp under which it must be looked at. */
  target: string;
}

export interface Problem {
  receptacles: readonly Receptacle[];
  things: readonly Thing[];
  /** The name of the receptacle that contains each thing, keyed by the thing's name. */
  placements: ReadonlyMap<string, string>;
  /** The names of the receptacles that are open. */
  opened: ReadonlySet<string>;
  /** The kinds of things that each kind of receptacle may contain, as texts `receptacleKind objectKind`. */
  canContain: ReadonlySet<string>;
  startLocation: string;
  goal: Formula;
  goalText: string;
  /** null if the game file does not state one of the six tasks */
  task: Task | null;
}
