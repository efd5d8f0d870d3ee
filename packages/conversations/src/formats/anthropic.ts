// Reads conversations in the form of Anthropic's Messages API: {system, messages, tools} with content blocks, or a request with
// the answer to it, {request, response}. Source: https://docs.anthropic.com/en/api/messages.
import { asRecord } from '../files/data-error.js';
import { readAnthropicMessages, readAnthropicTools, type AnthropicRules } from '../forms/anthropic-form.js';
import { whole } from '../forms/whole.js';
import { checkedCalls } from './chat.js';
import { scoreOf, type Reading, type RecordedDialogue, type TraceFormat } from './format.js';
import { ItemFields, type KeyRules } from './item-fields.js';
import { recordsOf } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

export const anthropicFormat: TraceFormat = {
  name: 'anthropic',
  expected:
    '{"system": "…", "messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": [{"type": "text", …}]}]}',
  fits: isAnthropic,
  read: readAnthropic,
};

const BLOCKS = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking'];

/** Messages of plain texts look the same in OpenAI's format, so they count only if the system text consists of blocks. */
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

function readAnthropic(item: Item, reading: Reading): RecordedDialogue[] {
  const { request, response, ...own } = item;
  const asked: Item = { ...own, ...asRecord(request) };
  const answer = asRecord(response);
  const fields = new ItemFields(asked, ITEM, { root: 'the item' }, reading);
  const said = [...recordsOf(asked.messages, "'messages'"), ...(answer === null ? [] : [answer])];
  const given = said.map((message, i) => {
    const rules = message === answer ? RESPONSE : MESSAGE;
    return new ItemFields(message, rules, { root: `message ${i + 1}` }, reading);
  });
  const messages = checkedCalls(whole(readAnthropicMessages(fields, given, RULES)));
  const tools = readAnthropicTools(fields, RULES);
  if (said.some(hasRedacted)) reading.keys.leaveOut('redacted_thinking');
  return [{ messages, inputs: tools.length > 0 ? { tools } : {}, ...scoreOf(item) }];
}

const hasRedacted = ({ content }: Item): boolean =>
  Array.isArray(content) && content.some((block) => asRecord(block)?.type === 'redacted_thinking');

/** Keys of requests and responses that do not affect the dialogue, and are ignored. */
const LOST = (
  'type max_tokens temperature top_p top_k stream stop_sequences stop_sequence ' +
  'stop_reason tool_choice thinking service_tier output_config container context_management betas anthropic_version'
).split(' ');

const ITEM: KeyRules = { of: 'an item', read: ['messages', 'system', 'tools', 'reward', 'score'], lost: LOST };
const RESPONSE: KeyRules = { of: 'the response', read: ['role', 'content', 'stop_reason'], lost: LOST };
const MESSAGE: KeyRules = {
  of: 'a message',
  read: ['role', 'content', 'stop_reason'],
  lost: ['type', 'stop_sequence'],
  isMessage: true,
};

const block = (...read: string[]): KeyRules => ({
  of: 'a block',
  read: ['type', ...read],
  lost: ['cache_control', 'signature', 'citations', 'caller', 'data', 'toolset_name'],
});

const RULES: AnthropicRules<KeyRules> = {
  'text block': block('text'),
  'thinking block': block('thinking'),
  'redacted_thinking block': block(),
  'tool_use block': block('id', 'name', 'input'),
  'tool_result block': block('tool_use_id', 'content', 'is_error'),
  'document block': block('source', 'title', 'context'),
  'search_result block': block('content', 'source', 'title'),
  'tool_reference block': block('tool_name'),
  'tools[]': {
    of: 'a tool',
    read: ['name', 'description', 'input_schema', 'type', 'strict', 'input_examples', 'defer_loading'],
    lost: ['cache_control', 'eager_input_streaming', 'allowed_callers'],
  },
};
