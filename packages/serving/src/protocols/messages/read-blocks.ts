// The messages of a request as the chat template takes them: a message of blocks becomes one or more, as its blocks need.
import type { ChatMessage } from '@bowyer/text';
import { callInHistory } from '../../generation/history.js';
import { BadRequestError } from '../../generation/request-error.js';
import { RequestFields } from '../fields/request-fields.js';
import { nestedMessageFields } from './known-fields.js';

/** Between the texts of blocks that a person or a program has written; the model's own have none. */
const BETWEEN_BLOCKS = '\n';

/** Names of the tools that were called, by the ids of the calls: a template may need the name beside a result. */
type CalledNames = Map<string, string>;

/** System messages, wherever they are, join the system text: few templates take them elsewhere than first. */
export function* readMessages(
  fields: RequestFields,
  given: readonly RequestFields[],
): Generator<undefined, ChatMessage[]> {
  const system = [textOf(fields, 'system')];
  const messages: ChatMessage[] = [];
  const names: CalledNames = new Map();
  for (const message of given) {
    const role = message.choice('role', ['user', 'assistant', 'system'], 'user');
    if (message.value('role') === undefined) throw message.fail('role', 'is missing');
    if (role === 'system') system.push(textOf(message, 'content'));
    else if (role === 'assistant') messages.push(assistantMessage(message, names));
    else messages.push(...userMessages(message, names));
    yield;
  }
  const text = system.filter((part) => part !== '').join('\n\n');
  return text === '' ? messages : [{ role: 'system', content: text }, ...messages];
}

/** The arguments of all calls: they are objects already, and their length counts with the body's. */
function assistantMessage(message: RequestFields, names: CalledNames): ChatMessage {
  const reasoning: string[] = [];
  const texts: string[] = [];
  const calls: object[] = [];
  for (const block of blocksOf(message, 'content')) {
    const { type } = block;
    if (type === 'text') texts.push(block.fields.text('text', ''));
    else if (type === 'thinking') reasoning.push(block.fields.text('thinking', ''));
    else if (type === 'tool_use') calls.push(toolUse(block.fields, names));
    else if (type !== 'redacted_thinking') throw unread(block, "an assistant's message");
  }
  return {
    role: 'assistant',
    content: texts.join(''),
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function toolUse(block: RequestFields, names: CalledNames): object {
  const [id, name] = [block.text('id', ''), block.text('name', '')];
  if (name === '') throw block.fail('name', 'must be a string');
  names.set(id, name);
  const input = block.object('input', null).plain();
  return callInHistory({ id, name, arguments: input }, (problem) => block.fail('input', problem));
}

/** Results of tools are messages of their own; the texts between them are the user's. */
function* userMessages(message: RequestFields, names: CalledNames): Generator<ChatMessage> {
  let texts: string[] = [];
  for (const block of blocksOf(message, 'content')) {
    if (block.type !== 'tool_result') {
      texts.push(readableText(block, "a user's message"));
      continue;
    }
    if (texts.length > 0) yield { role: 'user', content: texts.join(BETWEEN_BLOCKS) };
    texts = [];
    yield toolResult(block.fields, names);
  }
  if (texts.length > 0) yield { role: 'user', content: texts.join(BETWEEN_BLOCKS) };
}

/** A result that is an error begins with the word: templates have no other way to write it. */
function toolResult(block: RequestFields, names: CalledNames): ChatMessage {
  const id = block.text('tool_use_id', '');
  const content = block.value('content') === undefined ? [] : blocksOf(block, 'content');
  const text = content.map((part) => readableText(part, 'a result of a tool')).join(BETWEEN_BLOCKS);
  const isMarked = block.boolean('is_error') && !/^error\b/i.test(text);
  const name = names.get(id);
  return {
    role: 'tool',
    tool_call_id: id,
    ...(name !== undefined && { name }),
    content: isMarked ? `Error: ${text}` : text,
  };
}

interface Block {
  type: string;
  fields: RequestFields;
}

/** The blocks of a field, which may be a text alone. */
function blocksOf(fields: RequestFields, name: string): Block[] {
  const value = fields.value(name);
  if (typeof value === 'string') {
    const block = { type: 'text', text: value };
    return [{ type: 'text', fields: new RequestFields(block, nestedMessageFields['text block'], name) }];
  }
  if (Array.isArray(value) && value.length === 0) return [];
  return fields.objects(name, null).map((given, i) => block(fields, given, `${name}[${i}]`));
}

function block(parent: RequestFields, given: RequestFields, place: string): Block {
  const type = given.text('type', '');
  const rules: Readonly<Record<string, (typeof nestedMessageFields)[keyof typeof nestedMessageFields]>> =
    nestedMessageFields;
  const known = `${type} block`;
  if (!Object.hasOwn(rules, known)) throw unread({ type, fields: given }, `'${parent.placeOf(place)}'`);
  return { type, fields: parent.within(given.plain(), rules[known], place) };
}

/** @param where the block is, in words */
const unread = ({ type, fields }: Block, where: string): BadRequestError =>
  fields.fail('type', `is '${type}', which cannot be read in ${where}; this model reads text only`);

/** The text of a block that a person or a program has written. */
function readableText(block: Block, where: string): string {
  const { type, fields } = block;
  if (type === 'text') return fields.text('text', '');
  if (type === 'document') return documentText(fields);
  if (type !== 'search_result') throw unread(block, where);
  const texts = blocksOf(fields, 'content').map((part) => readableText(part, 'a search result'));
  return [fields.text('title', ''), fields.text('source', ''), ...texts].join(BETWEEN_BLOCKS);
}

function documentText(fields: RequestFields): string {
  const source = fields.object('source', null);
  const type = source.text('type', '');
  if (type !== 'text' && type !== 'content')
    throw source.fail('type', `is '${type}'; this model reads documents of text only`);
  const text =
    type === 'text'
      ? source.text('data', '')
      : blocksOf(source, 'content')
          .map((part) => readableText(part, 'a document'))
          .join(BETWEEN_BLOCKS);
  const about = [fields.text('title', ''), fields.text('context', '')].filter((part) => part !== '');
  return [...about, text].join(BETWEEN_BLOCKS);
}

/** A text, or blocks of text. */
function textOf(fields: RequestFields, name: string): string {
  if (fields.value(name) === undefined) return '';
  return blocksOf(fields, name)
    .map((part) => readableText(part, 'a system text'))
    .join(BETWEEN_BLOCKS);
}
