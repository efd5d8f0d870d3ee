// Files of conversations to imitate: AgentGym's and ShareGPT's {conversations: [{from, value, loss}]}, OpenAI's
// {messages: [{role, content}]} with the further keys that templates read; a JSON array of them or one a line.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ChatMessage, Conversation, TemplateInputs } from '@bowyer/models';
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
    const text = head.toString('utf8', 0, length);
    const begins = /^\s*\[?\s*\{[^[]*"(conversations|messages)"\s*:\s*(\[|null)/.test(text);
    const beginsWithInputs = /^\s*\[?\s*\{[^[]*"(tools|documents|chat_template_kwargs)"\s*:/.test(text);
    return begins || (beginsWithInputs && /"(conversations|messages)"\s*:\s*\[/.test(text));
  } finally {
    closeSync(file);
  }
}

export const EXPECTED_CONVERSATION =
  '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}';

/** Items without a message, such as those of AgentGym's inference files, are left out. @throws {DataFileError} */
export async function readConversations(path: string): Promise<Conversation[]> {
  const { items } = await readDataFile(path, conversationOf, EXPECTED_CONVERSATION);
  const conversations = items.map(({ value }) => value).filter(({ messages }) => messages.length > 0);
  if (conversations.length === 0) throw new DataFileError(`${path}: contains no conversation`, EXPECTED_CONVERSATION);
  return conversations;
}

const ROLES: Record<string, ChatMessage['role']> = {
  system: 'system',
  developer: 'developer',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  tool: 'tool',
  observation: 'tool',
};

/** The messages of an item; none where it has neither key, or null there. @throws {BadItem} */
export function conversationOf(item: unknown): Conversation {
  const record = asRecord(item) ?? {};
  const { conversations, messages } = record;
  const key = conversations === undefined || conversations === null ? 'messages' : 'conversations';
  const list = conversations ?? messages ?? [];
  if (!Array.isArray(list)) throw new BadItem(`'${key}' is ${found(list)}, not an array of messages`);
  return { messages: list.map(messageOf), inputs: templateInputsOf(record) };
}

function messageOf(message: unknown, i: number): ChatMessage {
  const { from, value, role, content, loss, ...more } = asRecord(message) ?? {};
  const [speaker, text] = [from ?? role, value ?? content];
  if (typeof speaker !== 'string' || !Object.hasOwn(ROLES, speaker))
    throw new BadItem(
      `the role of message ${i + 1} is ${speaker === undefined ? 'missing' : JSON.stringify(speaker)}; known roles: ${Object.keys(ROLES).join(', ')}`,
    );
  const hasMore = MORE_THAN_TEXT.some((key) => more[key] !== undefined && more[key] !== null);
  const isParts = Array.isArray(text) && text.every((part) => asRecord(part) !== null);
  if (typeof text !== 'string' && !isParts && !(hasMore && (text === undefined || text === null)))
    throw new BadItem(`the content of message ${i + 1} is ${found(text)}, not a text`);
  return {
    role: ROLES[speaker],
    ...(text !== undefined && { content: text as ChatMessage['content'] }),
    ...more,
    ...(loss === false && { loss: false }),
  };
}

/** What an assistant's message may have in the place of a text. */
const MORE_THAN_TEXT = ['tool_calls', 'reasoning_content', 'thinking'];

/** `tools`, `documents` and `chat_template_kwargs` of an item or a line; `tools` may be JSON in a text, as in some datasets. */
export function templateInputsOf(record: Record<string, unknown>): TemplateInputs {
  const tools = objectsOf('tools', record.tools);
  const documents = objectsOf('documents', record.documents);
  const variables = record.chat_template_kwargs ?? undefined;
  if (variables !== undefined && asRecord(variables) === null)
    throw new BadItem(`'chat_template_kwargs' is ${found(variables)}, not an object`);
  return {
    ...(tools && { tools }),
    ...(documents && { documents }),
    ...(variables !== undefined && { variables: variables as Record<string, unknown> }),
  };
}

function objectsOf(key: string, value: unknown): Record<string, unknown>[] | undefined {
  if (value === undefined || value === null) return undefined;
  let list = value;
  try {
    if (typeof value === 'string') list = JSON.parse(value);
  } catch {
    throw new BadItem(`'${key}' is a text that is not JSON`);
  }
  if (!Array.isArray(list) || !list.every((item) => asRecord(item) !== null))
    throw new BadItem(`'${key}' is ${found(list)}, not an array of objects`);
  return list as Record<string, unknown>[];
}
