// Files of conversations to imitate: AgentGym's and ShareGPT's {conversations: [{from, value, loss}]}, OpenAI's
// {messages: [{role, content}]}; a JSON array of them or one a line.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ChatMessage } from '@bowyer/models';

export class ConversationFileError extends Error {
  override readonly name = 'ConversationFileError';

  constructor(
    readonly file: string,
    problem: string,
  ) {
    super(`${file}: ${problem}`);
  }
}

const HEAD_BYTES = 65_536;

/** What was found of a file as it is: every part of a run asks. */
const found = new Map<string, boolean>();

/** Whether a file holds conversations rather than episodes, by its beginning; false where there is none. */
export function isConversationFile(path: string | null): boolean {
  const stat = path === null || !/\.jsonl?$/.test(path) ? undefined : statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return false;
  const key = JSON.stringify([resolve(path!), stat.mtimeMs, stat.size]);
  const known = found.get(key) ?? beginsWithConversation(path!);
  found.set(key, known);
  return known;
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

/** Items without a message, such as those of AgentGym's inference files, are left out. @throws {ConversationFileError} */
export async function readConversations(path: string): Promise<ChatMessage[][]> {
  const text = await readFile(path, 'utf8');
  const items = text.trimStart().startsWith('[') ? wholeArray(path, text) : lines(path, text);
  const conversations = items
    .map(({ item, place }) => conversation(path, place, item))
    .filter(({ length }) => length > 0);
  if (conversations.length === 0) throw new ConversationFileError(path, 'contains no conversation');
  return conversations;
}

interface Item {
  item: unknown;
  /** Which one it is, as people count. */
  place: string;
}

function wholeArray(path: string, text: string): Item[] {
  const list = parsed(path, 'the array', text);
  return (list as unknown[]).map((item, i) => ({ item, place: `item ${i + 1}` }));
}

const lines = (path: string, text: string): Item[] =>
  text.split('\n').flatMap((line, i) => {
    const place = `line ${i + 1}`;
    return line.trim() === '' ? [] : [{ item: parsed(path, place, line), place }];
  });

function parsed(path: string, place: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConversationFileError(path, `${place} is not JSON: ${(error as Error).message}`);
  }
}

const ROLES: Record<string, ChatMessage['role']> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
};

function conversation(path: string, place: string, item: unknown): ChatMessage[] {
  const { conversations, messages } = record(item) ?? {};
  const list = conversations ?? messages ?? [];
  if (!Array.isArray(list))
    throw new ConversationFileError(path, `${place} has no array of messages under 'conversations' or 'messages'`);
  return list.map((message, i) => {
    const { from, value, role, content, loss } = record(message) ?? {};
    const [speaker, text] = [from ?? role, value ?? content];
    if (typeof speaker !== 'string' || !Object.hasOwn(ROLES, speaker))
      throw new ConversationFileError(
        path,
        `${place}, message ${i + 1} is from ${JSON.stringify(speaker)}; known are ${Object.keys(ROLES).join(', ')}`,
      );
    if (typeof text !== 'string') throw new ConversationFileError(path, `${place}, message ${i + 1} has no text`);
    return { role: ROLES[speaker], content: text, ...(loss === false && { loss: false }) };
  });
}

const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
