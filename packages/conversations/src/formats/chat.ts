// Reads conversations of chat messages, to which all other formats are converted: {conversations: [{from, value, loss}], system,
// tools} of AgentGym and ShareGPT, {messages: [{role, content, weight}], tools} of OpenAI, also with further keys that chat
// templates read, and {prompt, completion} of TRL's conversational datasets, in which both are lists of messages.
import { isEmpty } from '@bowyer/core';
import {
  keepNumbers,
  lossWeight,
  textAsWritten,
  type ChatMessage,
  type Conversation,
  type TemplateInputs,
} from '@bowyer/text';
import { asRecord, BadItem, found } from '../files/data-error.js';
import { checkDepth, jsonValue, jsonWithin } from '../files/json-value.js';
import type { UnreadKeys } from '../files/unread-keys.js';
import type { EarlierCall } from '../forms/calls.js';
import { readChatMessages, readChatTools, type ChatRules } from '../forms/chat-form.js';
import { whole } from '../forms/whole.js';
import { scoreOf, type Reading, type TraceFormat } from './format.js';
import { ItemFields, type KeyRules } from './item-fields.js';
import { isPrompted, withoutPrompt } from './prompted-messages.js';

/** OpenAI's roles for the roles in ShareGPT's files. */
const SHARE_GPT_ROLES: Readonly<Record<string, string>> = { human: 'user', gpt: 'assistant', observation: 'tool' };

const ITEM_KEYS = ['messages', 'conversations', 'system', 'tools', 'functions', 'documents', 'chat_template_kwargs'];

/**
 * Returns the messages of an item and its inputs of the chat template; without messages if the item has neither `messages` nor
 * `conversations`. @throws {BadItem}
 */
export function conversationOf(item: unknown, keys: UnreadKeys, place: string): Conversation {
  const record = asRecord(item) ?? {};
  const { conversations, messages } = record;
  if (!isEmpty(conversations) && !isEmpty(messages))
    throw new BadItem("has both 'messages' and 'conversations'; it is not clear which of them to train on");
  const key = isEmpty(conversations) ? 'messages' : 'conversations';
  const list = record[key] ?? [];
  if (!Array.isArray(list)) throw new BadItem(`'${key}' is ${found(list)}, not an array of messages`);
  const scoreKeys = scoreOf(record).score === undefined ? [] : ['reward', 'score'];
  keys.check('an item', place, record, [...ITEM_KEYS, ...scoreKeys]);
  const reading = { keys, place };
  return {
    messages: withSystem(record.system, chatMessagesOf(list, reading)),
    inputs: templateInputsOf(record, reading),
  };
}

/** Throws BadItem. */
export function chatMessagesOf(list: readonly unknown[], reading: Reading): ChatMessage[] {
  const given = list.map((message, i) => {
    const place = { root: `message ${i + 1}` };
    return new ItemFields(plainMessage(message, place.root), MESSAGE, place, reading);
  });
  return checkedCalls(whole(readChatMessages(given, RULES)));
}

/** The keys of a message that this package reads. A message may have further keys, which chat templates read. */
const MESSAGE: KeyRules = {
  of: 'a message',
  read: [
    'role',
    'content',
    'name',
    'tool_calls',
    'tool_call_id',
    'function_call',
    'reasoning_content',
    'reasoning',
    'thinking',
    'finish_reason',
    'stop_reason',
  ],
  isMessage: true,
  isOpen: true,
};

const CALLED: KeyRules = { of: 'a tool call', read: ['name', 'arguments'] };

const RULES: ChatRules<KeyRules> = {
  'messages[].content[]': { of: 'a part of a message', read: ['type', 'text'] },
  'messages[].tool_calls[]': { of: 'a tool call', read: ['id', 'type', 'function'] },
  'messages[].tool_calls[].function': CALLED,
  'messages[].function_call': CALLED,
  'tools[]': { of: 'a tool', read: [], isOpen: true },
  'tools[].function': { of: 'a tool', read: [], isOpen: true },
};

/** Converts a message of ShareGPT's or OpenAI's form to OpenAI's, and its tool calls to the form {type, function}. */
function plainMessage(message: unknown, what: string): Record<string, unknown> {
  const { from, role, value, content, tool_calls: calls, ...more } = asRecord(message) ?? {};
  const speaker = oneOf({ from, role }, ['from', 'role'], what);
  const text = oneOf({ value, content }, ['value', 'content'], what);
  return {
    ...more,
    role: typeof speaker === 'string' ? (SHARE_GPT_ROLES[speaker] ?? speaker) : speaker,
    content: text,
    tool_calls: Array.isArray(calls) ? calls.map((call) => withFunction(call)) : calls,
  };
}

/** Returns the value of a field that has two alternative names. @throws {BadItem} if both are given and differ */
function oneOf(record: Readonly<Record<string, unknown>>, names: readonly [string, string], what: string): unknown {
  const [first, second] = names.map((name) => record[name] ?? undefined);
  if (first !== undefined && second !== undefined && first !== second)
    throw new BadItem(`${what} has both '${names[0]}' and '${names[1]}'`);
  return first ?? second;
}

/** Converts a tool call or a tool to {type, function}, whose outer object some files omit. */
function withFunction(value: unknown): unknown {
  const record = asRecord(value);
  if (record === null || (record.function ?? null) !== null || typeof record.name !== 'string') return value;
  const { id, type, ...called } = record;
  return { ...((id ?? null) !== null && { id }), type: type ?? 'function', function: keepNumbers(record, called) };
}

/**
 * Checks that the arguments of tool calls are JSON. Two kinds of messages may have other arguments: those with a loss weight of
 * 0, and answers that were cut off, which get the weight 0.
 *
 * @throws {BadItem}
 */
export const checkedCalls = (messages: readonly ChatMessage[]): ChatMessage[] => messages.map(checkedMessage);

function checkedMessage(message: ChatMessage, i: number): ChatMessage {
  for (const { function: called } of (message.tool_calls ?? []) as EarlierCall[]) {
    const text = textAsWritten(called.arguments);
    if (text === undefined) continue;
    const what = `the arguments of the call of ${called.name} in message ${i + 1}`;
    checkDepth(text, `the text of ${what} `);
    if (lossWeight(message) === 0) continue;
    const problem = problemOfArguments(text);
    if (problem === null) continue;
    if (message.cut !== true) throw new BadItem(`${what} ${problem}`);
    return { ...message, loss: false };
  }
  return message;
}

function problemOfArguments(text: string): string | null {
  const remedy = 'a weight of 0 keeps the message without learning it';
  try {
    const value = jsonValue(text);
    return asRecord(value) === null ? `are ${found(value)}, not an object` : null;
  } catch (error) {
    return `are a text that ${error instanceof BadItem ? error.message : 'is not JSON'}; ${remedy}`;
  }
}

/** Adds a system text as the first message, since ShareGPT's files have it outside of the messages. */
export function withSystem(system: unknown, messages: ChatMessage[]): ChatMessage[] {
  if (isEmpty(system) || messages.length === 0) return messages;
  if (typeof system !== 'string') throw new BadItem(`'system' is ${found(system)}, not a text`);
  const [first] = messages;
  if (first.role !== 'system') return [{ role: 'system', content: system }, ...messages];
  if (first.content === system) return messages;
  throw new BadItem("has 'system' and a first message of the system, which say different things");
}

/** Returns the inputs of the chat template. `tools` may be JSON text, and is called `functions` in OpenAI's older files. */
export function templateInputsOf(record: Record<string, unknown>, reading: Reading): TemplateInputs {
  const tools = toolsOf(record, reading);
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

function toolsOf(
  { tools, functions }: Record<string, unknown>,
  reading: Reading,
): Record<string, unknown>[] | undefined {
  if (!isEmpty(tools) && !isEmpty(functions)) throw new BadItem("has both 'tools' and 'functions'");
  const given = objectsOf('tools', tools) ?? objectsOf('functions', functions);
  if (given === undefined) return undefined;
  const fields = new ItemFields({ tools: given.map(withFunction) }, null, { root: 'the item' }, reading);
  return readChatTools(fields, RULES);
}

function objectsOf(key: string, value: unknown): Record<string, unknown>[] | undefined {
  if (isEmpty(value)) return undefined;
  const list = typeof value === 'string' ? jsonWithin(value, `'${key}'`) : value;
  if (isEmpty(list)) return undefined;
  if (!Array.isArray(list) || !list.every((item) => asRecord(item) !== null))
    throw new BadItem(`'${key}' is ${found(list)}, not an array of objects`);
  return list as Record<string, unknown>[];
}

export const EXPECTED_CONVERSATION =
  '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}';

export const chatFormat: TraceFormat = {
  name: 'chat',
  expected: EXPECTED_CONVERSATION,
  fits: (item) => item.messages !== undefined || item.conversations !== undefined || isPrompted(item),
  read: (item, { keys, place }) => {
    const dialogue = isPrompted(item) ? withoutPrompt(item) : item;
    return [{ ...conversationOf(dialogue, keys, place), ...scoreOf(item) }];
  },
};
