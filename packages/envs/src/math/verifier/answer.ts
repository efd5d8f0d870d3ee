import type { Tree } from './tree.js';
import type { Unit } from './units.js';

export type Comparison = '<' | '<=' | '>' | '>=' | '!=' | '=';

export interface Relation {
  left: Tree;
  comparison: Comparison;
  right: Tree;
}

export interface ValueAnswer {
  kind: 'value';
  name: string | null;
  tree: Tree;
  /** The possible meanings of the unit's name, such as a mass or a currency for `pound`; empty if the answer has no unit. */
  units: readonly Unit[];
  noun: readonly string[];
  /** The value times the unit as a variable, for a unit of one letter, since `5 m` may be five metres or 5 · m; else null. */
  product: Tree | null;
}

export interface ListAnswer {
  kind: 'list';
  name: string | null;
  /** The opening bracket; empty for a list without brackets; '∪', '∩' or '∖' for sets that this operator joins. */
  open: string;
  close: string;
  /** Whether the order of the members matters, as in a tuple, an interval or a matrix. */
  isOrdered: boolean;
  members: readonly Answer[];
  /** The word between the members of a list without brackets; absent if the list has only commas, or both words. */
  joint?: 'and' | 'or';
}

/** A parsed answer. `name` is the quantity that has this value, such as x in `x = 5`. */
export type Answer =
  | ValueAnswer
  | ListAnswer
  /** `interval` contains the solutions of an inequality of one variable, as an interval; null for other relations. */
  | { kind: 'relation'; name: null; relations: readonly Relation[]; interval: ListAnswer | null }
  /** A time of day. `minutes` are counted from midnight for `am` and from noon for `pm`. */
  | { kind: 'time'; name: string | null; minutes: number; half: 'am' | 'pm' }
  /** A ratio such as 7:32. The text `12:00` is parsed as a ratio, but may also be a time of day. */
  | { kind: 'ratio'; name: string | null; members: readonly Tree[] }
  | { kind: 'infinity'; name: string | null; sign: 1 | -1 }
  | { kind: 'text'; name: string | null; text: string };

export const list = (open: string, close: string, members: readonly Answer[]): ListAnswer => ({
  kind: 'list',
  name: null,
  open,
  close,
  members,
  isOrdered: ['(', '[', 'matrix', 'row', '∖'].includes(open),
});
