// The interface of a format's reader: it turns a JSON value of a file into conversations in the form of chat messages.
import type { Conversation } from '@bowyer/text';
import type { UnreadKeys } from '../files/unread-keys.js';

/** A conversation of a file. It has no token ids: it can be imitated, compared by score and played again, but has no log-probabilities. */
export interface RecordedDialogue extends Conversation {
  /** How good it was; absent where the file does not say. */
  score?: number;
  /** The id of the preference pair to which it belongs: only the two answers of a pair are compared with each other. */
  pair?: string;
  /** The id of the trace to which it belongs. A dialogue that another one of the same trace continues is learned as part of that one. */
  trace?: string;
}

export interface Reading {
  /** Collects keys that nothing reads. */
  keys: UnreadKeys;
  /** The place of the item in its file, such as `line 3`. */
  place: string;
}

export interface TraceFormat {
  name: string;
  /** An example of an item, for error messages. */
  expected: string;
  /** Returns whether a value is of this format, by keys that no other format has. */
  fits: (item: Readonly<Record<string, unknown>>) => boolean;
  /** Reads the conversations of an item. @throws {BadItem} */
  read: (item: Readonly<Record<string, unknown>>, reading: Reading) => RecordedDialogue[];
}

/** Returns `reward` or `score` of an item, where it is a number. */
export function scoreOf({ reward, score }: Readonly<Record<string, unknown>>): { score?: number } {
  const given = [reward, score].find((value) => typeof value === 'number' && Number.isFinite(value));
  return given === undefined ? {} : { score: given as number };
}
