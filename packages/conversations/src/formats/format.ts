// Defines the interface of a format, which converts the JSON values in a data file to conversations of chat messages.
import type { Conversation } from '@bowyer/text';
import type { UnreadKeys } from '../files/unread-keys.js';

/**
 * A conversation from a data file. It lacks the token ids and log-probabilities of a recorded rollout, but can be imitated,
 * compared by score, and replayed.
 */
export interface RecordedDialogue extends Conversation {
  /** The reward or score of the conversation; absent if the file has none. */
  score?: number;
  /** The id of the conversation's preference pair, whose two answers are compared only with each other. */
  pair?: string;
  /**
   * The id of the trace to which the conversation belongs. If another conversation of the trace continues it, it is trained on
   * only as a part of the longer one.
   */
  trace?: string;
}

export interface Reading {
  keys: UnreadKeys;
  /** The place of the item in its file, such as `line 3`, for error messages. */
  place: string;
}

export interface TraceFormat {
  name: string;
  /** An example of a valid item, for error messages. */
  expected: string;
  /** Returns whether an object has this format, from keys that no other format has. */
  fits: (item: Readonly<Record<string, unknown>>) => boolean;
  /** Throws BadItem. */
  read: (item: Readonly<Record<string, unknown>>, reading: Reading) => RecordedDialogue[];
}

export function scoreOf({ reward, score }: Readonly<Record<string, unknown>>): { score?: number } {
  const given = [reward, score].find((value) => typeof value === 'number' && Number.isFinite(value));
  return given === undefined ? {} : { score: given as number };
}
