// Defines the types of the rules in implied.ts, by which keys of a composed config imply values of other keys.
import type { Composition } from '@bowyer/config';

export interface ImpliedContext {
  /** Returns whether a key was given on the command line. */
  isTyped(key: string): boolean;
  /** Receives environment variables, such as API keys, that replace config keys of another program. */
  env?: Record<string, string | undefined>;
  /** Folders of the config files that belong to Bowyer; a key in any other file was written by the user. */
  shipped?: readonly string[];
  mode?: 'run' | 'multirun';
  /** Whether this config is composed only by a rule, to look something up: keys of other programs are then not translated. */
  isNested?: boolean;
  /** Is called with each implied override and its reason. */
  note?(word: string, why: string): void;
}

/** The source that a composition records for an implied value begins with this text. */
export const IMPLIED = 'implied by another key';

export interface Implied {
  word: string;
  why: string;
  /** Whether the override, which then has the value of the command line in it, takes precedence over the command line. */
  isFinal?: boolean;
}

export type Rule = (
  config: Reader,
  context: ImpliedContext,
  composition: Composition,
) => Implied[] | Promise<Implied[]>;

/** Undefined where the key is absent or its interpolation cannot be resolved. */
export type Reader = (key: string) => unknown;
