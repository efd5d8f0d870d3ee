// A rule of what follows from keys of a composed config: see implied.ts.
import type { Composition } from '@bowyer/config';

export interface ImpliedContext {
  /** Whether the command line gives a key itself. */
  isTyped(key: string): boolean;
  /** Gets the variables that a key of another program stands for. */
  env?: Record<string, string | undefined>;
  /** Folders of the program's own configs, whose keys for other units are not the user's. */
  shipped?: readonly string[];
  mode?: 'run' | 'multirun';
  /** Whether a rule itself composes this config: keys of other programs are then left as they are. */
  isNested?: boolean;
  /** Gets each word that follows, and why. */
  note?(word: string, why: string): void;
}

/** The origins of implied values begin with this text. */
export const IMPLIED = 'implied by another key';

export interface Implied {
  word: string;
  why: string;
  /** Whether the word replaces what the command line gives, which it contains. */
  isFinal?: boolean;
}

export type Rule = (
  config: Reader,
  context: ImpliedContext,
  composition: Composition,
) => Implied[] | Promise<Implied[]>;

/** Reads one key of the composed config; undefined where it is absent or cannot be resolved. */
export type Reader = (key: string) => unknown;
