// The contract of a format's reader: from a JSON value of a file to conversations in the form of chat messages.
import type { Conversation } from '@bowyer/text';
import type { UnreadKeys } from '../files/unread-keys.js';

/** A conversation of a file. It has no token ids: it can be imitated, compared by score and played again, but has no probabilities. */
export interface RecordedDialogue extends Conversation {
  /** How good it was; absent where the file does not say. */
  score?: number;
  /** The pair of a preferred and a rejected answer that it is one of: the two are compared with each other alone. */
  pair?: string;
  /** The trace that it is a part of. A dialogue that another one of the same trace continues is learned within that one. */
  trace?: string;
}

export interface Reading {
  /** Collects keys that nothing reads. */
  keys: UnreadKeys;
  /** The item's: `line 3`. */
  place: string;
}

export interface TraceFormat {
  name: string;
  /** An example of an item, for messages. */
  expected: string;
  /** Whether a value is of this format, by keys that no other format has. */
  fits: (item: Readonly<Record<string, unknown>>) => boolean;
  /** @throws {BadItem} */
  read: (item: Readonly<Record<string, unknown>>, reading: Reading) => RecordedDialogue[];
}

/** `reward` or `score` of an item, where it is a number. */
export function scoreOf({ reward, score }: Readonly<Record<string, unknown>>): { score?: number } {
  const given = [reward, score].find((value) => typeof value === 'number' && Number.isFinite(value));
  return given === undefined ? {} : { score: given as number };
}
