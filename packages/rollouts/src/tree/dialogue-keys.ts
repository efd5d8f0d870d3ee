// Computes keys of dialogues. Messages with the same meaning have the same key, in whatever form a client repeats them.
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

/** Returns the key of the empty dialogue, which depends on the template, the tools, the documents and the variables. */
export const rootKey = (
  { source = '' }: ChatTemplate,
  { tools = [], documents = [], variables = {} }: TemplateInputs,
) => digest(source, canonicalJson(tools), canonicalJson(documents), canonicalJson(variables));

/** Returns the key of recorded dialogues with the same tools, whatever their template. */
export const toolsKey = (tools: readonly unknown[]): string => digest(canonicalJson(tools));

/** Returns the key of a dialogue up to its message `at`. @param key of the messages before it */
export const nextKey = (key: string, messages: readonly ChatMessage[], at: number): string =>
  digest(key, canonical(messages, at));

/** Returns the keys of a dialogue up to each of its messages. @param root key of the empty dialogue */
export function dialogueKeys(root: string, messages: readonly ChatMessage[]): string[] {
  let key = root;
  return messages.map((_, at) => (key = nextKey(key, messages, at)));
}

/** Returns the key of a dialogue after an answer of the model. */
export const answeredKey = (key: string, { content, calls }: RecordedMessage): string =>
  digest(key, assistant(content, calls));

/** Returns the reasoning of a message; '' without any. */
export function reasoningOf({ reasoning_content: reasoning, thinking }: ChatMessage): string {
  for (const text of [reasoning, thinking]) if (typeof text === 'string' && text.trim() !== '') return text.trim();
  return '';
}

/** Returns the ids of a message's calls. */
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
 * Fields of a message that are compared in a special way, or not at all. Reasoning is compared only if the client sends it;
 * templates do not read how a message ended and whether it is learned.
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

/** Writes everything that a template may read of a message as one text. */
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
 * Returns the fields of a message that are not in `OWN_KEYS`, sorted, and its reasoning. The name of a tool's result is omitted
 * if it equals the call's: clients may omit it, and the template gets the call's name in both cases.
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

/** Returns the model's last message before a result. */
function callerOf(messages: readonly ChatMessage[], at: number): ChatMessage | undefined {
  let before = at - 1;
  while (before >= 0 && messages[before].role !== 'assistant') before--;
  return messages[before];
}

/** Returns the name of the tool that gave a result. */
function calledName(messages: readonly ChatMessage[], at: number): string | undefined {
  const caller = callerOf(messages, at);
  return caller && callsOf(caller).find(({ id }) => id === String(messages[at].tool_call_id ?? ''))?.name;
}

/** Returns the index of the call that a result answers; its id if the previous message has no such call. */
function placeOf(id: string, messages: readonly ChatMessage[], at: number): number | string {
  const caller = callerOf(messages, at);
  const place = caller ? callIds(caller).indexOf(id) : -1;
  return place < 0 ? id : place;
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** Writes a value as JSON with sorted keys; a text that is JSON is replaced by its value. */
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
  // an array, since an object would move numeric keys to the front
  return entries.map(([key, item]) => [key, member(value, key, item)]);
}

/** Returns a member in a form in which equal numbers are equal, such as 1.0 and 1, unless they have more digits than a float64. */
function member(holder: object, key: string | number, item: unknown): unknown {
  const text = typeof item === 'number' ? numberText(holder, key) : undefined;
  return text === undefined || keepsDigits(text) ? sorted(item) : { digits: text };
}

const digest = (...texts: string[]): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest('base64');
};
