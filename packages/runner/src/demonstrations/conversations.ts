// Files of conversations to imitate: AgentGym's and ShareGPT's {conversations: [{from, value, loss}]}, OpenAI's
// {messages: [{role, content}]}; a JSON array of them or one a line.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ChatMessage } from '@bowyer/models';
import { asRecord, BadItem, DataFileError, found, readDataFile } from './data-file.js';

const HEAD_BYTES = 65_536;

/** What was found of each version of a file, since several parts of a run ask. */
const known = new Map<string, boolean>();

/** Whether a file contains conversations rather than episodes, by its beginning; false where there is none. */
export function isConversationFile(path: string | null): boolean {
  const stat = path === null || !/\.jsonl?$/.test(path) ? undefined : statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return false;
  const key = JSON.stringify([resolve(path!), stat.mtimeMs, stat.size]);
  const begins = known.get(key) ?? beginsWithConversation(path!);
  known.set(key, begins);
  return begins;
}

function beginsWithConversation(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, head, 0, HEAD_BYTES, 0);
    return /^\s*\[?\s*\{[^[]*"(conversations|messages)"\s*:\s*(\[|null)/.test(head.toString('utf8', 0, length));
  } finally {
    closeSync(file);
  }
}

export const EXPECTED_CONVERSATION =
  '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}';

/** Items without a message, such as those of AgentGym's inference files, are left out. @throws {DataFileError} */
export async function readConversations(path: string): Promise<ChatMessage[][]> {
  const { items } = await readDataFile(path, conversationOf, EXPECTED_CONVERSATION);
  const conversations = items.map(({ value }) => value).filter(({ length }) => length > 0);
  if (conversations.length === 0) throw new DataFileError(`${path}: contains no conversation`, EXPECTED_CONVERSATION);
  return conversations;
}

const ROLES: Record<string, ChatMessage['role']> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
};

/** The messages of an item; none where it has neither key, or null there. @throws {BadItem} */
export function conversationOf(item: unknown): ChatMessage[] {
  const { conversations, messages } = asRecord(item) ?? {};
  const key = conversations === undefined || conversations === null ? 'messages' : 'conversations';
  const list = conversations ?? messages ?? [];
  if (!Array.isArray(list)) throw new BadItem(`'${key}' is ${found(list)}, not an array of messages`);
  return list.map((message, i) => {
    const { from, value, role, content, loss } = asRecord(message) ?? {};
    const [speaker, text] = [from ?? role, value ?? content];
    if (typeof speaker !== 'string' || !Object.hasOwn(ROLES, speaker))
      throw new BadItem(
        `the role of message ${i + 1} is ${speaker === undefined ? 'missing' : JSON.stringify(speaker)}; known roles: ${Object.keys(ROLES).join(', ')}`,
      );
    if (typeof text !== 'string') throw new BadItem(`the content of message ${i + 1} is ${found(text)}, not a text`);
    return { role: ROLES[speaker], content: text, ...(loss === false && { loss: false }) };
  });
}
