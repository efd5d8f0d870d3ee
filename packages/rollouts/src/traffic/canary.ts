// A canary: a second adapter answers a share of the requests for a model. Its share is a file of the record, which a command may change
// while the server runs.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';

export interface Canary {
  /** The name that clients ask for. */
  model: string;
  /** The served name of the adapter that answers a share of them. */
  canary: string;
  /** From 0, where it is taken back, to 1, where it is promoted. */
  share: number;
  /** When it began, in milliseconds since 1970; calls before are not compared. */
  since: number;
}

const fileOf = (record: string): string => join(record, 'canary.json');

/** Reads the canary of a record; null where it has none. */
export async function readCanary(record: string): Promise<Canary | null> {
  try {
    return JSON.parse(await readFile(fileOf(record), 'utf8')) as Canary;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${fileOf(record)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

export const writeCanary = (record: string, canary: Canary): Promise<void> =>
  writeFileAtomically(fileOf(record), `${JSON.stringify(canary, null, 1)}\n`);

/** The parts of a request that show its conversation. */
export interface Conversation {
  /** The id that its client gives to what belongs together (`x-session-id`). */
  session: string | undefined;
  /** Empty for a text. */
  messages: readonly unknown[];
  promptIds: readonly number[];
}

/** Returns the key of a conversation: its session, or how it begins, which all its requests have in common. */
export const conversationKey = (shown: Conversation): string =>
  shown.session === undefined ? openingKey(shown) : `session ${shown.session}`;

/** Returns the key of the messages up to the first one of the user. */
export function openingKey({ messages, promptIds }: Omit<Conversation, 'session'>): string {
  const first = (messages as { role?: unknown }[]).findIndex(({ role }) => role === 'user');
  const opening = messages.length > 0 ? messages.slice(0, first + 1 || undefined) : promptIds;
  return createHash('sha256').update(JSON.stringify(opening)).digest('hex');
}

/** Returns whether the canary answers a conversation: with a larger share it keeps those that it had. */
export function isOfCanary({ canary, share }: Canary, conversation: string): boolean {
  const hash = createHash('sha256')
    .update(JSON.stringify([canary, conversation]))
    .digest();
  return hash.readUInt32BE() < share * 2 ** 32;
}
