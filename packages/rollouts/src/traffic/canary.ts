// Stores which adapter is a model's canary, a second adapter that answers a share of the requests for the model. The share is in
// a file of the record, which a command may change while the server runs.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';

export interface Canary {
  /** The name in the requests. */
  model: string;
  /** The served name of the adapter that answers a share of the requests. */
  canary: string;
  /** The share, from 0 (withdrawn) to 1 (promoted). */
  share: number;
  /** The time when it began, in milliseconds since 1970; earlier calls are not compared. */
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

/** The parts of a request that identify its conversation. */
export interface Conversation {
  /** The client's session id (`x-session-id`). */
  session: string | undefined;
  /** The messages of the request; empty for a text completion. */
  messages: readonly unknown[];
  promptIds: readonly number[];
}

/** Returns the key of a conversation: its session, or its first messages, which all its requests share. */
export const conversationKey = (shown: Conversation): string =>
  shown.session === undefined ? openingKey(shown) : `session ${shown.session}`;

/** Returns the key of the messages up to the user's first one. */
export function openingKey({ messages, promptIds }: Omit<Conversation, 'session'>): string {
  const first = (messages as { role?: unknown }[]).findIndex(({ role }) => role === 'user');
  const opening = messages.length > 0 ? messages.slice(0, first + 1 || undefined) : promptIds;
  return createHash('sha256').update(JSON.stringify(opening)).digest('hex');
}

/** Returns whether the canary answers a conversation. With a larger share it also answers all its earlier ones. */
export function isOfCanary({ canary, share }: Canary, conversation: string): boolean {
  const hash = createHash('sha256')
    .update(JSON.stringify([canary, conversation]))
    .digest();
  return hash.readUInt32BE() < share * 2 ** 32;
}
