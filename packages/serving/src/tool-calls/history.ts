// Converts earlier tool calls and tool results of a dialogue to the form that the model's chat template can render.
import { createHash } from 'node:crypto';
import type { EarlierCall } from '@bowyer/conversations';
import { jsonAsWritten, textAsWritten, writtenJson, type ChatMessage } from '@bowyer/text';
import type { CallStyle } from './call-style.js';
import { membersOf } from './json-members.js';

export function messagesFor(style: CallStyle, messages: readonly ChatMessage[]): ChatMessage[] {
  const shown: ChatMessage[] = [];
  for (let i = 0; i < messages.length; i++) {
    const calls = callsOf(messages[i]);
    if (calls.length === 0) {
      shown.push(plainMessage(style, messages[i], shown));
      continue;
    }
    const results: ChatMessage[] = [];
    while (messages[i + 1 + results.length]?.role === 'tool') results.push(messages[i + 1 + results.length]);
    shown.push(...turn(style, messages[i], calls, results));
    i += results.length;
  }
  return shown;
}

const callsOf = ({ role, tool_calls: calls }: ChatMessage): readonly EarlierCall[] =>
  role === 'assistant' && Array.isArray(calls) ? (calls as EarlierCall[]) : [];

/** Converts a message without calls. If it is a tool result, it gets the name and the id of the earlier call that it answers. */
const plainMessage = (style: CallStyle, message: ChatMessage, before: readonly ChatMessage[]): ChatMessage =>
  message.role === 'tool' ? resultFor(style, message, before.flatMap(callsOf)) : message;

/** @param given the results that follow the message with calls */
function turn(
  style: CallStyle,
  message: ChatMessage,
  calls: readonly EarlierCall[],
  given: readonly ChatMessage[],
): ChatMessage[] {
  const results = given.map((result) => resultFor(style, result, calls));
  const shown = calls.map((call) => callFor(style, call));
  const { before, called } = withoutContent(style, message);
  if (!style.writesCalls) return [writtenOut(style, called, calls), ...results];
  if (style.takesSeveral || calls.length === 1) return [...before, { ...called, tool_calls: shown }, ...results];
  const left = [...results];
  const turns = shown.flatMap((call, i) => {
    const at = left.findIndex(({ tool_call_id: id }) => id === call.id);
    const result = at < 0 ? [] : left.splice(at, 1);
    const first: ChatMessage = i === 0 ? called : emptied(style, message);
    return [{ ...first, tool_calls: [call] }, ...result];
  });
  return [...before, ...turns, ...left];
}

/** For templates without content beside calls: it becomes reasoning, if the format converts it, or an earlier message. */
function withoutContent(style: CallStyle, message: ChatMessage): { before: ChatMessage[]; called: ChatMessage } {
  const { content = '' } = message;
  const isEmpty = content === null || content === '' || (Array.isArray(content) && content.length === 0);
  const called: ChatMessage = { ...message, content: isEmpty ? style.emptyContent : content };
  if (isEmpty || style.takesContent) return { before: [], called: style.format.historyMessage?.(called) ?? called };
  const alone: ChatMessage = { ...message, content };
  delete (alone as { tool_calls?: unknown }).tool_calls;
  return { before: [alone], called: emptied(style, message) };
}

/** One of the messages into which a message is split; it keeps the message's weight in the training loss. */
const emptied = ({ emptyContent }: CallStyle, { loss, cut }: ChatMessage): ChatMessage => ({
  role: 'assistant',
  content: emptyContent,
  ...(loss !== undefined && { loss }),
  ...(cut && { cut }),
});

/** Writes the calls of a message into its content, for templates that do not write calls. */
function writtenOut(
  { format, beforeCalls }: CallStyle,
  message: ChatMessage,
  calls: readonly EarlierCall[],
): ChatMessage {
  const { tool_calls: _, content, ...others } = message;
  const called = calls.map(({ function: { name, arguments: args } }) => ({ name, arguments: jsonOf(args) }));
  const written = format.write!(called);
  if (typeof content !== 'string' && content)
    return { ...others, content: [...content, { type: 'text', text: written }] };
  return { ...others, content: `${content ?? ''}${content ? beforeCalls : ''}${written}` };
}

/** Arguments that are not an object become the only member of one. */
function jsonOf(args: object): string {
  const text = textAsWritten(args) ?? spacedJson(args);
  return membersOf(text) === null ? spacedJson({ arguments: text }) : text;
}

/** Returns a tool result with the function's name, which some templates read, and the id of its call. */
function resultFor(style: CallStyle, message: ChatMessage, calls: readonly EarlierCall[]): ChatMessage {
  const { tool_call_id: id, name, content } = message;
  const called = calls.find((call) => call.id === id)?.function.name;
  return {
    ...message,
    content: content ?? '',
    ...(name === undefined && called !== undefined && { name: called }),
    ...(typeof id === 'string' && { tool_call_id: idFor(style, id) }),
  };
}

function callFor(style: CallStyle, call: EarlierCall): EarlierCall {
  const { name, arguments: args } = call.function;
  return { ...call, id: idFor(style, call.id), function: { name, arguments: argumentsFor(style, args) as object } };
}

/** A digest replaces an id that the template does not accept: Mistral's accept only nine letters and digits. */
function idFor({ format: { idPattern } }: CallStyle, id: string): string {
  if (!idPattern || idPattern.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function argumentsFor({ format, needsEscapes }: CallStyle, args: object): unknown {
  if (format.argumentsAreJson) return args;
  const json = jsonOf(args);
  return needsEscapes ? writtenJson(withEscapes(json, (content) => format.escaped!(content))) : writtenJson(json);
}

function withEscapes(json: string, escaped: (text: string) => string): string {
  const members = membersOf(json)!.map(([key, value]) => {
    const text = value.startsWith('"') ? JSON.stringify(escaped(JSON.parse(value) as string)) : value;
    return `${JSON.stringify(key)}: ${text}`;
  });
  return `{${members.join(', ')}}`;
}

/** Writes JSON with a space after commas and colons, as Python does. */
const spacedJson = (value: unknown): string => jsonAsWritten(value, [', ', ': ']);
