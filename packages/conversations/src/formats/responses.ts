// Reads conversations in the form of OpenAI's Responses API: a request with the answer to it, {input, output, instructions,
// tools} or {request, response}, or all items of a conversation, {items}. Source: the OpenAPI description of POST /v1/responses
// (openai-node, resources/responses).
import { asRecord, BadItem } from '../files/data-error.js';
import { readResponseItems, readResponseTools, type ResponseRules } from '../forms/response-form.js';
import { whole } from '../forms/whole.js';
import { checkedCalls } from './chat.js';
import { isCut } from './cut-answers.js';
import { scoreOf, type Reading, type RecordedDialogue, type TraceFormat } from './format.js';
import { ItemFields, type KeyRules } from './item-fields.js';
import { answerText, recordsOf } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

export const responsesFormat: TraceFormat = {
  name: 'responses',
  expected: '{"input": [{"role": "user", "content": "…"}], "output": [{"type": "message", "content": […]}]}',
  fits: (item) => Array.isArray(item.output) || Array.isArray(asRecord(item.response)?.output) || isItems(item.items),
  read: readResponses,
};

const isItems = (items: unknown): boolean =>
  Array.isArray(items) && items.some((item) => asRecord(item)?.type !== undefined);

function readResponses(item: Item, reading: Reading): RecordedDialogue[] {
  const { request, response, ...own } = item;
  const all: Item = { ...own, ...asRecord(request), ...asRecord(response) };
  const { input, instructions, items, output, status } = all;
  const fields = new ItemFields(all, ITEM, { root: 'the item' }, reading);
  if (items === undefined && input === undefined)
    throw new BadItem("has no 'input': a response alone does not say what it answers; give the request beside it");
  const given = typeof input === 'string' ? [{ role: 'user', content: input }] : recordsOf(input ?? items, "'input'");
  const answered = output === undefined ? [] : recordsOf(output, "'output'");
  const cutAt = isCut(status) ? answered.length - 1 : -1;
  const read = [...given, ...answered.map((each, i) => (i === cutAt ? { ...each, status: 'incomplete' } : each))];
  const plain = read.map((each, i) => plainItem(each, i, reading));
  const messages = whole(readResponseItems(fields, plain, typeof instructions === 'string' ? instructions : '', RULES));
  const { tools, left } = readResponseTools(fields, RULES);
  if (left.length > 0) reading.keys.leaveOut('web_search of tools');
  return [{ messages: checkedCalls(messages), inputs: tools.length > 0 ? { tools } : {}, ...scoreOf(item) }];
}

/** Keys of requests and responses that do not affect the dialogue, and are ignored. */
const LOST = (
  'object status store temperature top_p top_logprobs max_output_tokens max_tool_calls stream tool_choice truncation text ' +
  'reasoning service_tier safety_identifier prompt_cache_key include previous_response_id background billing output_text error incomplete_details completed_at'
).split(' ');

const ITEM: KeyRules = {
  of: 'an item',
  read: ['input', 'instructions', 'items', 'output', 'tools', 'reward', 'score'],
  lost: LOST,
};

const itemOf = (type: string, ...read: string[]): KeyRules => ({
  of: `an item of type ${type}`,
  read: ['type', 'status', ...read],
  lost: ['phase', 'encrypted_content'],
});

const RULES: ResponseRules<KeyRules> = {
  'message item': itemOf('message', 'role', 'content'),
  'function_call item': itemOf('function_call', 'call_id', 'name', 'namespace', 'arguments'),
  'function_call_output item': itemOf('function_call_output', 'call_id', 'output'),
  'reasoning item': itemOf('reasoning', 'content', 'summary'),
  'content part': { of: 'a part of a message', read: ['type', 'text'], lost: ['annotations', 'logprobs'] },
  'tools[]': {
    of: 'a tool',
    read: ['type', 'name', 'description', 'parameters', 'strict'],
    lost: ['async', 'defer_loading', 'allowed_callers', 'output_schema'],
  },
  namespace: { of: 'a tool', read: ['type', 'name', 'description', 'tools'] },
};

/** Returns an item with its type and without `encrypted_content`, which only the server that encrypted it can read. */
function plainItem(item: Item, i: number, { keys }: Reading): Item {
  const { encrypted_content: encrypted, ...rest } = item;
  const { type = 'message', output } = rest;
  const what = `item ${i + 1} (${String(type)})`;
  if (!Object.hasOwn(RULES, `${String(type)} item`))
    throw new BadItem(`${what} is not read; known types: message, reasoning, function_call, function_call_output`);
  if ((encrypted ?? null) !== null) keys.leaveOut('encrypted_content');
  if (type === 'function_call_output' && !Array.isArray(output)) return { ...rest, output: answerText(output) };
  const isRefusal = Array.isArray(rest.content) && rest.content.some((part) => asRecord(part)?.type === 'refusal');
  if (isRefusal) throw new BadItem(`${what} has a refusal, which is not a text to learn`);
  return { ...rest, type };
}
