// Reads and writes the canary setting of a served model: a second adapter (the canary) answers a share of the requests for the
// model. The setting is a file in the folder of recorded traffic, so that a command can change the share while the server runs.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';

export interface Canary {
  /** The model name in clients' requests. */
  model: string;
  /** The served name of the adapter that answers the share of the requests. */
  canary: string;
  /** The share of conversations that the canary answers, from 0 (withdrawn) to 1 (promoted). */
  share: number;
  /** The time when the canary began, in milliseconds since 1970; calls before that are not compared. */
  since: number;
}

const fileOf = (record: string): string => join(record, 'canary.json');

/** Reads the canary setting from the folder of recorded traffic; null if there is none. */
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

/** The properties of a request that identify the conversation to which it belongs. */
export interface Conversation {
  /** The client's session id (`x-session-id`). */
  session: string | undefined;
  /** The messages of the request; empty for a text completion, which is identified by `promptIds`. */
  messages: readonly unknown[];
  promptIds: readonly number[];
}

/** Returns a key that all requests of a conversation share, from the session id or else its first messages. */
export const conversationKey = (shown: Conversation): string =>
  shown.session === undefined ? openingKey(shown) : `session ${shown.session}`;

/** Returns a key of the messages up to and including the user's first one. */
export function openingKey({ messages, promptIds }: Omit<Conversation, 'session'>): string {
  const first = (messages as { role?: unknown }[]).findIndex(({ role }) => role === 'user');
  const opening = messages.length > 0 ? messages.slice(0, first + 1 || undefined) : promptIds;
  return createHash('sha256').update(JSON.stringify(opening)).digest('hex');
}

/** Returns whether the canary answers a conversation. If the share grows, it keeps those that it already answers. */
export function isOfCanary({ canary, share }: Canary, conversation: string): boolean {
  const hash = createHash('sha256')
    .update(JSON.stringify([canary, conversation]))
    .digest();
  return hash.readUInt32BE() < share * 2 ** 32;
}
