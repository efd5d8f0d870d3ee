// Defines the interface of a format, which converts JSON values of a file to conversations of chat messages.
import type { Conversation } from '@bowyer/text';
import type { UnreadKeys } from '../files/unread-keys.js';

/** A conversation of a file. It has no token ids and log-probabilities, but can be imitated, compared by score and replayed. */
export interface RecordedDialogue extends Conversation {
  /** The score; absent if the file has none. */
  score?: number;
  /** The id of its preference pair. The two answers of a pair are compared only with each other. */
  pair?: string;
  /** The id of its trace. A dialogue that another one of the same trace continues is trained on only as a part of that one. */
  trace?: string;
}

export interface Reading {
  keys: UnreadKeys;
  /** The place of the item in its file, such as `line 3`. */
  place: string;
}

export interface TraceFormat {
  name: string;
  /** An example of an item, for error messages. */
  expected: string;
  /** Returns whether a value has this format, by keys that no other format has. */
  fits: (item: Readonly<Record<string, unknown>>) => boolean;
  /** Reads the conversations of an item. @throws {BadItem} */
  read: (item: Readonly<Record<string, unknown>>, reading: Reading) => RecordedDialogue[];
}

/** Returns the number in `reward` or `score` of an item, if there is one. */
export function scoreOf({ reward, score }: Readonly<Record<string, unknown>>): { score?: number } {
  const given = [reward, score].find((value) => typeof value === 'number' && Number.isFinite(value));
  return given === undefined ? {} : { score: given as number };
}
