import type { Tree } from './tree.js';
import type { Unit } from './units.js';

export type Comparison = '<' | '<=' | '>' | '>=' | '!=' | '=';

/** The two sides of an equation or an inequality. */
export interface Relation {
  left: Tree;
  comparison: Comparison;
  right: Tree;
}

export interface ValueAnswer {
  kind: 'value';
  name: string | null;
  tree: Tree;
  /** The possible readings of the unit; empty without a unit. */
  units: readonly Unit[];
  noun: readonly string[];
  /** The value times its unit as a variable, if the unit is a single letter that may also be a variable. */
  product: Tree | null;
}

export interface ListAnswer {
  kind: 'list';
  name: string | null;
  /** The brackets as written; empty for a list without brackets; '∪', '∩' or '∖' for joined sets. */
  open: string;
  close: string;
  /** Whether the order matters, as in a tuple, an interval or a matrix. */
  isOrdered: boolean;
  members: readonly Answer[];
  /** The word between the members of a list without brackets; absent if there are only commas, or both words. */
  joint?: 'and' | 'or';
}

/** A parsed answer. `name`: the quantity that it is the value of, such as x in `x = 5`. */
export type Answer =
  | ValueAnswer
  | ListAnswer
  /** `interval`: the solutions as an interval, if the relation is an inequality of one variable. */
  | { kind: 'relation'; name: null; relations: readonly Relation[]; interval: ListAnswer | null }
  /** A time of day. `minutes` are counted from midnight or noon. */
  | { kind: 'time'; name: string | null; minutes: number; half: 'am' | 'pm' }
  /** A ratio such as 7:32. `12:00` may also be a time. */
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
