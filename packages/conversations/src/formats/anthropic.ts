// Anthropic's messages: {system, messages, tools} with blocks of content, or the request beside its answer, {request, response}.
// Source: https://docs.anthropic.com/en/api/messages.
import { asRecord, BadItem } from '../files/data-error.js';
import { conversationOf } from './chat.js';
import { scoreOf, type Reading, type RecordedDialogue, type TraceFormat } from './format.js';
import { answerText, CalledNames, partText, recordsOf, textOfParts, toolCall } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

export const anthropicFormat: TraceFormat = {
  name: 'anthropic',
  expected:
    '{"system": "…", "messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": [{"type": "text", …}]}]}',
  fits: isAnthropic,
  read: readAnthropic,
};

const BLOCKS = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking'];

/** Messages of texts alone are the same in OpenAI's form, apart from a system of blocks. */
function isAnthropic(item: Item): boolean {
  if (asRecord(item.response)?.type === 'message') return true;
  if (!Array.isArray(item.messages)) return false;
  const hasBlock = item.messages.some((message) => {
    const content: unknown = asRecord(message)?.content;
    return Array.isArray(content) && content.some((block) => BLOCKS.includes(String(asRecord(block)?.type)));
  });
  const hasTool = Array.isArray(item.tools) && item.tools.some((tool) => asRecord(tool)?.input_schema !== undefined);
  return hasBlock || hasTool || Array.isArray(item.system);
}

function readAnthropic(item: Item, { keys, place }: Reading): RecordedDialogue[] {
  const { request, response, ...own } = item;
  const asked: Item = { ...own, ...asRecord(request) };
  const answer = asRecord(response);
  keys.check('an item', place, asked, ['messages', 'system', 'tools', 'reward', 'score'], LOST);
  if (answer !== null) keys.check('the response', place, answer, ['role', 'content'], LOST);
  const names = new CalledNames();
  const system = textOfParts(asked.system, "'system'", ['text']);
  const messages: Record<string, unknown>[] = system === '' ? [] : [{ role: 'system', content: system }];
  const said = [...recordsOf(asked.messages, "'messages'"), ...(answer === null ? [] : [answer])];
  said.forEach((message, i) => messages.push(...messagesOf(message, `message ${i + 1}`, names, { keys, place })));
  return [{ ...conversationOf({ messages, tools: toolsOf(asked.tools) }, keys, place), ...scoreOf(item) }];
}

/** The keys of a request and a response that are not a part of the dialogue. */
const LOST = (
  'type max_tokens temperature top_p top_k stream stop_sequences stop_sequence ' +
  'stop_reason tool_choice thinking service_tier output_config container context_management betas anthropic_version'
).split(' ');

/** Results of tools stand in messages of the user there, and are messages of their own here. */
function messagesOf(
  message: Item,
  what: string,
  names: CalledNames,
  { keys, place }: Reading,
): Record<string, unknown>[] {
  const { role, content, ...more } = message;
  const lossKeys = role === 'assistant' && 'type' in more ? {} : more;
  if (typeof content === 'string') return [{ role, content, ...lossKeys }];
  const blocks = recordsOf(content, `the content of ${what}`);
  const read = ['type', 'text', 'thinking', 'id', 'name', 'input', 'tool_use_id', 'content', 'is_error'];
  for (const block of blocks)
    keys.check('a block', place, block, read, ['cache_control', 'signature', 'citations', 'caller']);
  if (role === 'assistant') return [{ role, ...lossKeys, ...replyOf(blocks, what, names, keys) }];
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const texts = blocks.filter(({ type }) => type !== 'tool_result');
  const answers = results.map(({ tool_use_id: id, content: result }) =>
    names.answer(id, Array.isArray(result) ? textOfParts(result, what, ['text']) : answerText(result)),
  );
  if (results.some(({ is_error: isError }) => isError === true)) keys.leaveOut('is_error');
  return [...answers, ...(texts.length > 0 ? [{ role, content: textOfParts(texts, what, ['text']), ...more }] : [])];
}

function replyOf(
  blocks: readonly Item[],
  what: string,
  names: CalledNames,
  keys: Reading['keys'],
): Record<string, unknown> {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: Record<string, unknown>[] = [];
  for (const block of blocks) {
    const { type, thinking, id, name, input } = block;
    if (type === 'thinking') thoughts.push(String(thinking));
    else if (type === 'redacted_thinking') keys.leaveOut('redacted_thinking');
    else if (type === 'tool_use') {
      names.add(id, name);
      calls.push(toolCall(id, name, input));
    } else texts.push(partText(block, what, ['text']));
  }
  return {
    content: texts.join(''),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('') }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function toolsOf(tools: unknown): unknown {
  if ((tools ?? null) === null) return undefined;
  return recordsOf(tools, "'tools'").map(({ type, name, description, input_schema: parameters }) => {
    if (parameters === undefined)
      throw new BadItem(
        `'tools' has ${JSON.stringify(type ?? name)}, a tool of Anthropic's servers; only tools with an input_schema are read`,
      );
    return { type: 'function', function: { name, ...(description !== undefined && { description }), parameters } };
  });
}
