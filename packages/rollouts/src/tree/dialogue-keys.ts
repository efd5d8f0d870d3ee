// Computes keys that dialogues with the same meaning share, even if a client repeats messages in another form.
import { createHash } from 'node:crypto';
import { keepsDigits } from '@bowyer/core';
import {
  numberText,
  parseJson,
  textAsWritten,
  type ChatMessage,
  type ChatTemplate,
  type TemplateInputs,
} from '@bowyer/text';
import type { RecordedMessage } from '../record/recorded.js';

/** Returns the key of an empty dialogue, from the chat template, the tools, the documents and the template's variables. */
export const rootKey = (
  { source = '' }: ChatTemplate,
  { tools = [], documents = [], variables = {} }: TemplateInputs,
) => digest(source, canonicalJson(tools), canonicalJson(documents), canonicalJson(variables));

/** Returns the key of a recorded dialogue without messages, which depends only on the tools and not on the chat template. */
export const toolsKey = (tools: readonly unknown[]): string => digest(canonicalJson(tools));

/** Returns the key of a dialogue up to and including the message `at`. @param key of the dialogue before that message */
export const nextKey = (key: string, messages: readonly ChatMessage[], at: number): string =>
  digest(key, canonical(messages, at));

/** Returns the keys of a dialogue up to each of its messages. @param root key of the dialogue without messages */
export function dialogueKeys(root: string, messages: readonly ChatMessage[]): string[] {
  let key = root;
  return messages.map((_, at) => (key = nextKey(key, messages, at)));
}

/** Returns the key of a dialogue that ends with an answer of the model. @param key of the dialogue before the answer */
export const answeredKey = (key: string, { content, calls }: RecordedMessage): string =>
  digest(key, assistant(content, calls));

/** Returns the reasoning text of a message; empty if it has none. */
export function reasoningOf({ reasoning_content: reasoning, thinking }: ChatMessage): string {
  for (const text of [reasoning, thinking]) if (typeof text === 'string' && text.trim() !== '') return text.trim();
  return '';
}

export const callIds = (message: ChatMessage): string[] => callsOf(message).map(({ id }) => id);

interface Call {
  id: string;
  name: string;
  arguments: unknown;
}

function callsOf({ tool_calls: calls }: ChatMessage): Call[] {
  if (!Array.isArray(calls)) return [];
  return (calls as { id?: unknown; function: { name: string; arguments: unknown } }[]).map(
    ({ id, function: { name, arguments: args } }) => ({ id: String(id ?? ''), name, arguments: args }),
  );
}

/**
 * Fields of a message that are compared in a special way or not at all. Reasoning is compared only if the client sends it; fields
 * that say how an answer ended or whether it is learned are ignored, since templates do not read them.
 */
const OWN_KEYS = [
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'reasoning_content',
  'thinking',
  'finish_reason',
  'weight',
];

/** Writes everything of a message that a chat template may read as one text, which is then hashed. */
function canonical(messages: readonly ChatMessage[], at: number): string {
  const message = messages[at];
  const { role, tool_call_id: id } = message;
  const text = textOf(message);
  const more = furtherKeys(message, messages, at);
  if (role === 'assistant') return assistant(text, callsOf(message), more);
  if (role === 'tool') more.push(['place', placeOf(String(id ?? ''), messages, at)]);
  return JSON.stringify([role, text.trim(), ...more]);
}

/**
 * Returns the fields of a message that are not in `OWN_KEYS`, sorted, and its reasoning. In a tool's result, a `name` is omitted
 * if it equals the name in the tool call: clients may omit it, and the template gets the call's name in both cases.
 */
function furtherKeys(message: ChatMessage, messages: readonly ChatMessage[], at: number): unknown[] {
  const { role } = message;
  const reasoning = role === 'assistant' ? '' : reasoningOf(message);
  const found = Object.entries(message).filter(
    ([key, value]) => !OWN_KEYS.includes(key) && value !== undefined && value !== null,
  );
  const more: unknown[] = found
    .filter(([key, value]) => !(role === 'tool' && key === 'name' && value === calledName(messages, at)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, canonicalJson(value)]);
  return reasoning === '' ? more : [...more, ['reasoning', reasoning]];
}

const assistant = (
  text: string,
  calls: readonly Pick<Call, 'name' | 'arguments'>[],
  more: readonly unknown[] = [],
): string =>
  JSON.stringify([
    'assistant',
    text.trim(),
    calls.map(({ name, arguments: args }) => [name, canonicalJson(args)]),
    ...more,
  ]);

/** Returns the model's last message before a tool's result. */
function callerOf(messages: readonly ChatMessage[], at: number): ChatMessage | undefined {
  let before = at - 1;
  while (before >= 0 && messages[before].role !== 'assistant') before--;
  return messages[before];
}

/** Returns the name of the tool that gave a result, from the tool call that the result answers. */
function calledName(messages: readonly ChatMessage[], at: number): string | undefined {
  const caller = callerOf(messages, at);
  return caller && callsOf(caller).find(({ id }) => id === String(messages[at].tool_call_id ?? ''))?.name;
}

/** Returns the index of the tool call that a result answers; the call's id if the model's previous message has no such call. */
function placeOf(id: string, messages: readonly ChatMessage[], at: number): number | string {
  const caller = callerOf(messages, at);
  const place = caller ? callIds(caller).indexOf(id) : -1;
  return place < 0 ? id : place;
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** Writes a JSON value with sorted keys, so that equal values give equal texts; a text that is JSON is replaced by its value. */
function canonicalJson(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? textAsWritten(value) : value;
  if (typeof text !== 'string') return JSON.stringify(sorted(value));
  try {
    return JSON.stringify(sorted(parseJson(text)));
  } catch {
    return JSON.stringify(text.trim());
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, i) => member(value, i, item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // A list of entries is returned, since an object would move numeric keys to the front.
  return entries.map(([key, item]) => [key, member(value, key, item)]);
}

/** Returns a member in a form in which 1.0 and 1 are equal; numbers beyond a float64's digits stay as written. */
function member(holder: object, key: string | number, item: unknown): unknown {
  const text = typeof item === 'number' ? numberText(holder, key) : undefined;
  return text === undefined || keepsDigits(text) ? sorted(item) : { digits: text };
}

const digest = (...texts: string[]): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest('base64');
};
