// Defines the type of the rules in implied.ts, by which keys of a composed config imply others.
import type { Composition } from '@bowyer/config';

export interface ImpliedContext {
  /** Returns whether the command line itself gives a key. */
  isTyped(key: string): boolean;
  /** Receives the environment variables that replace keys of another program. */
  env?: Record<string, string | undefined>;
  /** Folders of the program's own configs; a key in a file outside of them is a key of the user. */
  shipped?: readonly string[];
  mode?: 'run' | 'multirun';
  /** Whether a rule itself composes this config: keys of other programs are then not translated. */
  isNested?: boolean;
  /** Is called with each implied override and its reason. */
  note?(word: string, why: string): void;
}

/** The origins of implied values begin with this text. */
export const IMPLIED = 'implied by another key';

export interface Implied {
  word: string;
  why: string;
  /** Whether the override replaces the command line's own, whose value it includes. */
  isFinal?: boolean;
}

export type Rule = (
  config: Reader,
  context: ImpliedContext,
  composition: Composition,
) => Implied[] | Promise<Implied[]>;

/** Reads one key of the composed config; undefined where it is absent or cannot be resolved. */
export type Reader = (key: string) => unknown;
