// The meaning of a final answer.
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
  /** The possible readings of its unit; none where it has no unit. */
  units: readonly Unit[];
  /** The things that are counted. */
  noun: readonly string[];
  /** The product with the unit, if the unit is a single letter that may also be a variable. */
  product: Tree | null;
}

export interface ListAnswer {
  kind: 'list';
  name: string | null;
  /** The brackets as written; '' on both sides for a bare list, '∪' and the like for joined sets. */
  open: string;
  close: string;
  /** Whether the order matters, as in a tuple, an interval or a matrix. */
  isOrdered: boolean;
  members: readonly Answer[];
  /** The word between the members of a bare list; absent where it has commas alone, or both words. */
  joint?: 'and' | 'or';
}

/** The meaning of an answer. `name`: what it is the value of, such as x in `x = 5`. */
export type Answer =
  | ValueAnswer
  | ListAnswer
  /** `interval`: the same as a set of numbers, where it is one of a single variable. */
  | { kind: 'relation'; name: null; relations: readonly Relation[]; interval: ListAnswer | null }
  /** A time of the day: minutes, and whether it is before or after noon. */
  | { kind: 'time'; name: string | null; minutes: number; half: 'am' | 'pm' }
  /** 7:32; `12:00` may also be a time. */
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
