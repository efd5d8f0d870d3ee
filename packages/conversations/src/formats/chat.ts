// Chat messages, the form that all formats are read into: AgentGym's and ShareGPT's {conversations: [{from, value, loss}], system, tools},
// OpenAI's {messages: [{role, content, weight}], tools} with the further keys that templates read.
import { isEmpty } from '@bowyer/core';
import type { ChatMessage, ContentPart, Conversation, TemplateInputs } from '@bowyer/text';
import { asRecord, BadItem, found } from '../files/data-error.js';
import type { UnreadKeys } from '../files/unread-keys.js';
import { scoreOf, type TraceFormat } from './format.js';
import { LOSS_KEYS, lossOf } from './loss-keys.js';

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

const ITEM_KEYS = ['messages', 'conversations', 'system', 'tools', 'documents', 'chat_template_kwargs'];

/** The messages of an item; none where it has neither key, or null there. @throws {BadItem} */
export function conversationOf(item: unknown, keys: UnreadKeys, place: string): Conversation {
  const record = asRecord(item) ?? {};
  const { conversations, messages } = record;
  if (!isEmpty(conversations) && !isEmpty(messages))
    throw new BadItem("has both 'messages' and 'conversations'; it is not clear which of them to train on");
  const key = isEmpty(conversations) ? 'messages' : 'conversations';
  const list = record[key] ?? [];
  if (!Array.isArray(list)) throw new BadItem(`'${key}' is ${found(list)}, not an array of messages`);
  keys.check('an item', place, record, ITEM_KEYS);
  const read = list.map((message, i) => messageOf(message, i, keys, place));
  return { messages: withSystem(record.system, read), inputs: templateInputsOf(record) };
}

/** ShareGPT's files have the system's text beside the messages. */
export function withSystem(system: unknown, messages: ChatMessage[]): ChatMessage[] {
  if (isEmpty(system) || messages.length === 0) return messages;
  if (typeof system !== 'string') throw new BadItem(`'system' is ${found(system)}, not a text`);
  const [first] = messages;
  if (first.role !== 'system') return [{ role: 'system', content: system }, ...messages];
  if (first.content === system) return messages;
  throw new BadItem("has 'system' and a first message of the system, which say different things");
}

function messageOf(message: unknown, i: number, keys: UnreadKeys, place: string): ChatMessage {
  const record = asRecord(message) ?? {};
  const what = `message ${i + 1}`;
  const speaker = oneOf(record, ['from', 'role'], what);
  const text = oneOf(record, ['value', 'content'], what);
  if (typeof speaker !== 'string' || !Object.hasOwn(ROLES, speaker))
    throw new BadItem(
      `the role of message ${i + 1} is ${speaker === undefined ? 'missing' : JSON.stringify(speaker)}; known roles: ${Object.keys(ROLES).join(', ')}`,
    );
  const role = ROLES[speaker];
  const loss = lossOf(record, role === 'assistant', what);
  const more = Object.fromEntries(
    Object.entries(record).filter(([key, value]) => !OWN_KEYS.includes(key) && value !== undefined && value !== null),
  );
  return {
    role,
    content: contentOf(text, { what, more, keys, place }),
    ...more,
    ...(more.tool_calls !== undefined && { tool_calls: toolCallsOf(more.tool_calls, { what, keys, place }) }),
    ...(loss !== undefined && loss !== 1 && { loss: loss === 0 ? false : loss }),
  };
}

/** Keys of a message that have been read already; the others are the template's. */
const OWN_KEYS: readonly string[] = ['from', 'role', 'value', 'content', ...LOSS_KEYS];

/** The one that is given of two names of one thing. */
function oneOf(record: Readonly<Record<string, unknown>>, names: readonly [string, string], what: string): unknown {
  const [first, second] = names.map((name) => record[name] ?? undefined);
  if (first !== undefined && second !== undefined && first !== second)
    throw new BadItem(`${what} has both '${names[0]}' and '${names[1]}'`);
  return first ?? second;
}

interface MessagePart {
  what: string;
  keys: UnreadKeys;
  place: string;
}

/** Keys that an assistant's message may have in the place of a text. */
const MORE_THAN_TEXT = ['tool_calls', 'reasoning_content', 'thinking'];

function contentOf(
  text: unknown,
  { what, more, keys, place }: MessagePart & { more: Readonly<Record<string, unknown>> },
): ChatMessage['content'] {
  if (typeof text === 'string') return text;
  if (Array.isArray(text)) return text.map((part) => partOf(part, { what, keys, place }));
  if ((text ?? null) === null && MORE_THAN_TEXT.some((key) => !isEmpty(more[key]))) return '';
  throw new BadItem(`the content of ${what} is ${found(text)}, not a text`);
}

/** Models of text read no images, and what a template writes in their place says nothing about them. */
function partOf(part: unknown, { what, keys, place }: MessagePart): ContentPart {
  const record = asRecord(part);
  const { type = 'text', text } = record ?? {};
  if (record === null || type !== 'text' || typeof text !== 'string')
    throw new BadItem(
      `the content of ${what} has ${found(part)} of type ${JSON.stringify(type)}; only parts of text are read`,
    );
  keys.check('a part of a message', place, record, ['type', 'text']);
  return record;
}

/** OpenAI's files have arguments as a text of JSON; templates take the object, as when a client sends it to serve_model. */
export function toolCallsOf(calls: unknown, { what, keys, place }: MessagePart): Record<string, unknown>[] {
  if (!Array.isArray(calls)) throw new BadItem(`'tool_calls' of ${what} is ${found(calls)}, not an array`);
  return calls.map((call) => {
    const record = asRecord(call);
    const called = record === null ? null : (asRecord(record.function) ?? record);
    if (record === null || called === null || typeof called.name !== 'string' || called.name === '')
      throw new BadItem(`a tool call of ${what} is ${found(call)}, without the name of a function`);
    keys.check('a tool call', place, record, [
      'id',
      'type',
      'function',
      ...(called === record ? ['name', 'arguments'] : []),
    ]);
    if (called !== record) keys.check('a tool call', place, called, ['name', 'arguments']);
    const filled = { ...called, arguments: argumentsOf(called.arguments, `the call of ${called.name} in ${what}`) };
    return called === record ? filled : { ...record, function: filled };
  });
}

function argumentsOf(given: unknown, what: string): Record<string, unknown> {
  let args: unknown = given ?? {};
  try {
    if (typeof args === 'string') args = JSON.parse(args.trim() === '' ? '{}' : args) as unknown;
  } catch {
    throw new BadItem(`the arguments of ${what} are a text that is not JSON`);
  }
  const record = asRecord(args);
  if (record === null) throw new BadItem(`the arguments of ${what} are ${found(args)}, not an object`);
  return record;
}

/** `tools`, `documents` and `chat_template_kwargs` of an item or a line; `tools` may be JSON in a text, as in some datasets. */
export function templateInputsOf(record: Record<string, unknown>): TemplateInputs {
  const tools = objectsOf('tools', record.tools);
  const documents = objectsOf('documents', record.documents);
  const { chat_template_kwargs: given } = record;
  const variables = isEmpty(given) ? undefined : given;
  if (variables !== undefined && asRecord(variables) === null)
    throw new BadItem(`'chat_template_kwargs' is ${found(variables)}, not an object`);
  return {
    ...(tools && { tools }),
    ...(documents && { documents }),
    ...(variables !== undefined && { variables: variables as Record<string, unknown> }),
  };
}

function objectsOf(key: string, value: unknown): Record<string, unknown>[] | undefined {
  if (isEmpty(value)) return undefined;
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

export const EXPECTED_CONVERSATION =
  '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}';

export const chatFormat: TraceFormat = {
  name: 'chat',
  expected: EXPECTED_CONVERSATION,
  fits: ({ messages, conversations }) => messages !== undefined || conversations !== undefined,
  read: (item, { keys, place }) => [{ ...conversationOf(item, keys, place), ...scoreOf(item) }],
};
