// Items of OpenAI's Responses API: a request with what was answered, {input, output, instructions, tools}; the two beside each other,
// {request, response}; or the items of a whole conversation, {items}.
// Source: the OpenAPI description of POST /v1/responses (openai-node, resources/responses).
import { asRecord, BadItem, found } from '../files/data-error.js';
import { conversationOf } from './chat.js';
import { scoreOf, type Reading, type RecordedDialogue, type TraceFormat } from './format.js';
import { answerText, CalledNames, recordsOf, textOfParts, toolCall, withReply } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

export const responsesFormat: TraceFormat = {
  name: 'responses',
  expected: '{"input": [{"role": "user", "content": "…"}], "output": [{"type": "message", "content": […]}]}',
  fits: (item) => Array.isArray(item.output) || Array.isArray(asRecord(item.response)?.output) || isItems(item.items),
  read: readResponses,
};

const isItems = (items: unknown): boolean =>
  Array.isArray(items) && items.some((item) => asRecord(item)?.type !== undefined);

function readResponses(item: Item, { keys, place }: Reading): RecordedDialogue[] {
  const { request, response, ...own } = item;
  const whole: Item = { ...own, ...asRecord(request), ...asRecord(response) };
  const { input, instructions, items, output, tools } = whole;
  keys.check('an item', place, whole, READ, LOST);
  if (items === undefined && input === undefined)
    throw new BadItem("has no 'input': a response alone does not say what it answers; give the request beside it");
  const messages: Record<string, unknown>[] = [];
  const given = typeof input === 'string' ? [{ role: 'user', content: input }] : recordsOf(input ?? items, "'input'");
  if (typeof instructions === 'string' && instructions !== '') messages.push({ role: 'system', content: instructions });
  const names = new CalledNames();
  for (const each of [...given, ...(output === undefined ? [] : recordsOf(output, "'output'"))])
    addItem(messages, each, names, { keys, place });
  return [{ ...conversationOf({ messages, tools: toolsOf(tools) }, keys, place), ...scoreOf(item) }];
}

const READ = ['input', 'instructions', 'items', 'output', 'tools', 'reward', 'score'];
/** The keys of a request and a response that are not a part of the dialogue. */
const LOST = (
  'object status store temperature top_p top_logprobs max_output_tokens max_tool_calls stream tool_choice truncation text ' +
  'reasoning service_tier safety_identifier prompt_cache_key include previous_response_id background billing output_text error incomplete_details completed_at'
).split(' ');

function addItem(messages: Record<string, unknown>[], item: Item, names: CalledNames, reading: Reading): void {
  const { type = 'message', call_id: id, name } = item;
  const what = `item ${messages.length + 1} (${String(type)})`;
  const check = (read: readonly string[]) =>
    reading.keys.check(
      `an item of type ${String(type)}`,
      reading.place,
      item,
      ['type', ...read],
      ['status', 'phase', 'encrypted_content'],
    );
  if (type === 'message') {
    check(['role', 'content']);
    addMessage(messages, item, what);
  } else if (type === 'reasoning') {
    check(['content', 'summary']);
    const thought =
      textOfParts(item.content, what, ['reasoning_text']) || textOfParts(item.summary, what, ['summary_text']);
    if (thought !== '') withReply(messages, { reasoning_content: thought });
  } else if (type === 'function_call') {
    check(['call_id', 'name', 'arguments']);
    names.add(id, name);
    withReply(messages, { tool_calls: [toolCall(id, name, item.arguments)] });
  } else if (type === 'function_call_output') {
    check(['call_id', 'output']);
    messages.push(names.answer(id, outputText(item.output, what)));
  } else {
    throw new BadItem(`${what} is not read; known types: message, reasoning, function_call, function_call_output`);
  }
}

function addMessage(messages: Record<string, unknown>[], { role, content }: Item, what: string): void {
  if (role !== 'assistant') {
    messages.push({ role, content: textOfParts(content, what, ['input_text', 'text', 'output_text']) });
    return;
  }
  const isRefusal = Array.isArray(content) && content.some((part) => asRecord(part)?.type === 'refusal');
  if (isRefusal) throw new BadItem(`${what} has a refusal, which is not a text to learn`);
  withReply(messages, { content: textOfParts(content, what, ['output_text', 'text', 'input_text']) });
}

const outputText = (output: unknown, what: string): string =>
  Array.isArray(output) ? textOfParts(output, what, ['input_text', 'output_text', 'text']) : answerText(output);

/** Functions stand in an object of their own in Chat Completions. Other tools belong to OpenAI's servers. */
function toolsOf(tools: unknown): unknown {
  if ((tools ?? null) === null) return undefined;
  return recordsOf(tools, "'tools'").map(({ type, name, description, parameters, function: nested }) => {
    if (type !== 'function') throw new BadItem(`'tools' has a tool of type ${found(type)}; only functions are read`);
    return {
      type,
      function: nested ?? { name, ...(description !== undefined && { description }), parameters: parameters ?? {} },
    };
  });
}
