// The items of a request as the chat template takes them: what the model has written between two inputs is one message.
import { randomUUID } from 'node:crypto';
import type { ChatMessage } from '@bowyer/text';
import { callInHistory } from '../../generation/history.js';
import { BadRequestError } from '../../generation/request-error.js';
import type { RequestFields } from '../fields/request-fields.js';
import { nestedResponseFields } from './known-fields.js';
import { wholeName } from './read-tools.js';
import type { Item, StoredResponses } from './stored-responses.js';

/** The request's own items, references among them replaced by what they refer to. @throws {BadRequestError} */
export function givenItems(fields: RequestFields, stored: StoredResponses): Item[] {
  const input = fields.value('input');
  if (typeof input === 'string') return [withId({ type: 'message', role: 'user', content: input })];
  if (input === undefined || (Array.isArray(input) && input.length === 0)) return [];
  return fields.objects('input', null).map((given) => {
    const item = given.plain();
    const isReference = item.type === 'item_reference' || (item.type === undefined && item.role === undefined);
    return isReference ? referredItem(given, stored) : withId({ ...item, type: item.type ?? 'message' });
  });
}

function referredItem(reference: RequestFields, stored: StoredResponses): Item {
  const id = reference.text('id', '');
  const item = stored.item(id);
  if (item !== undefined) return item;
  throw new BadRequestError(
    `Item with id '${id}' not found; this server keeps the items of stored responses, and only the newest responses`,
    'input',
    'not_found',
  );
}

const prefixes: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' };

function withId(item: Record<string, unknown>): Item {
  const prefix = prefixes[String(item.type)] ?? 'item';
  return { ...item, id: typeof item.id === 'string' ? item.id : `${prefix}_${randomUUID().replaceAll('-', '')}` };
}

/** The model's message that is being read. */
interface OpenMessage {
  reasoning: string;
  content: string;
  calls: object[];
}

/**
 * System messages that come first are one with the instructions: few templates take several.
 *
 * @param items all that the prompt is made of, in order; `fields` name their places in errors
 */
export function* readItems(
  fields: RequestFields,
  items: readonly Item[],
  instructions: string,
): Generator<undefined, ChatMessage[]> {
  const messages: ChatMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }];
  const names = new Map<string, string>();
  let open: OpenMessage | null = null;
  for (const [i, item] of items.entries()) {
    const read = typed(fields, item, i);
    const own = ownPart(read, item, names);
    if (own !== null) {
      const begins: boolean = open === null || (own.reasoning !== '' && (open.content !== '' || open.calls.length > 0));
      if (begins && open !== null) messages.push(assistant(open));
      open = begins ? own : joined(open!, own);
    } else {
      if (open !== null) messages.push(assistant(open));
      open = null;
      addInput(messages, read, item, names);
    }
    yield;
  }
  if (open !== null) messages.push(assistant(open));
  return messages;
}

/** The item with the rules of its type. */
function typed(fields: RequestFields, item: Item, i: number): RequestFields {
  const rules: Readonly<Record<string, (typeof nestedResponseFields)[keyof typeof nestedResponseFields]>> =
    nestedResponseFields;
  const known = `${String(item.type)} item`;
  const place = `input[${i}]`;
  if (Object.hasOwn(rules, known)) return fields.within(item, rules[known], place);
  const problem = `is '${String(item.type)}', a kind of item that this server does not read`;
  throw fields.within(item, null, place).fail('type', problem);
}

/** A part that the model has written; null if it has read it. */
function ownPart(read: RequestFields, { type }: Item, names: Map<string, string>): OpenMessage | null {
  if (type === 'reasoning') return { reasoning: reasoningOf(read), content: '', calls: [] };
  if (type === 'function_call') return { reasoning: '', content: '', calls: [callOf(read, names)] };
  if (type !== 'message' || read.value('role') !== 'assistant') return null;
  return { reasoning: '', content: contentOf(read, 'content'), calls: [] };
}

const joined = (first: OpenMessage, second: OpenMessage): OpenMessage => ({
  reasoning: first.reasoning + second.reasoning,
  content: first.content + second.content,
  calls: [...first.calls, ...second.calls],
});

const assistant = ({ reasoning, content, calls }: OpenMessage): ChatMessage => ({
  role: 'assistant',
  content,
  ...(reasoning !== '' && { reasoning_content: reasoning }),
  ...(calls.length > 0 && { tool_calls: calls }),
});

function addInput(messages: ChatMessage[], read: RequestFields, { type }: Item, names: Map<string, string>): void {
  if (type === 'function_call_output') {
    const id = read.text('call_id', '');
    const name = names.get(id);
    const content = contentOf(read, 'output');
    messages.push({ role: 'tool', tool_call_id: id, ...(name !== undefined && { name }), content });
    return;
  }
  const role = read.choice('role', ['user', 'system', 'developer', 'assistant'], 'user');
  const content = contentOf(read, 'content');
  const isFirst = messages.length === 1 && messages[0].role === 'system';
  if (role === 'user') messages.push({ role, content });
  else if (isFirst) messages[0] = { role: 'system', content: `${String(messages[0].content)}\n\n${content}` };
  else messages.push({ role: 'system', content });
}

function callOf(read: RequestFields, names: Map<string, string>): object {
  const [id, own] = [read.text('call_id', ''), read.text('name', '')];
  if (own === '') throw read.fail('name', 'must be a string');
  const namespace = read.text('namespace', '');
  const name = namespace === '' ? own : wholeName({ namespace, name: own });
  names.set(id, name);
  const given = { id, name, arguments: read.value('arguments') };
  return callInHistory(given, (problem) => read.fail('arguments', problem));
}

/** The text, or the parts of one. */
function contentOf(read: RequestFields, name: string): string {
  const value = read.value(name);
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length === 0) return '';
  return read
    .objects(name, null)
    .map((part, i) => {
      const type = part.text('type', '');
      if (!Object.hasOwn(textNames, type))
        throw part.fail('type', `is '${type}', which cannot be read; this model reads text only`);
      return read.within(part.plain(), nestedResponseFields['content part'], `${name}[${i}]`).text(textNames[type], '');
    })
    .join('');
}

/** The field in which a part of a content has its text. */
const textNames: Readonly<Record<string, string>> = {
  input_text: 'text',
  output_text: 'text',
  text: 'text',
  summary_text: 'text',
  reasoning_text: 'text',
  refusal: 'refusal',
};

/** The text itself, or what this server has sent in its place. */
function reasoningOf(read: RequestFields): string {
  for (const name of ['content', 'summary']) {
    const value = read.value(name);
    if (Array.isArray(value) && value.length > 0) return contentOf(read, name);
  }
  return Buffer.from(read.text('encrypted_content', ''), 'base64').toString();
}
