// Converts messages and tools of OpenAI's Chat Completions, with the keys of vLLM's clients, to the form of chat templates.
import type { ChatMessage } from '@bowyer/text';
import { EarlierCalls, type EarlierCall } from './calls.js';
import { listed, type Fields } from './fields.js';

/** The rules for the keys of the objects in messages and tools, by the path of the object in a request. */
export interface ChatRules<Rules> {
  'messages[].content[]': Rules;
  'messages[].tool_calls[]': Rules;
  'messages[].tool_calls[].function': Rules;
  'messages[].function_call': Rules;
  'tools[]': Rules;
  'tools[].function': Rules;
}

/** The roles of chat templates, by the roles of requests. `function` was the role of tool results before June 2023. */
const ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

/** [name in the request, name for the template]. The older of vLLM's two names, `reasoning_content`, has precedence. */
const THOUGHTS = [
  ['reasoning', 'reasoning_content'],
  ['reasoning_content', 'reasoning_content'],
  ['thinking', 'thinking'],
] as const;

export function* readChatMessages<Rules>(
  given: readonly Fields<Rules>[],
  rules: ChatRules<Rules>,
): Generator<undefined, ChatMessage[]> {
  const reader = new ChatReader(rules);
  const messages: ChatMessage[] = [];
  for (const fields of given) {
    messages.push(reader.message(fields));
    yield;
  }
  return messages;
}

class ChatReader<Rules> {
  readonly #calls = new EarlierCalls();
  /** The id made for the last call of OpenAI's older form `function_call`, which has none; its result gets the same id. */
  #olderId: string | null = null;
  #count = 0;

  constructor(private readonly rules: ChatRules<Rules>) {}

  message(fields: Fields<Rules>): ChatMessage {
    this.#count++;
    const given = fields.text('role', '');
    if (!Object.hasOwn(ROLES, given)) throw fields.fail('role', `must be one of ${Object.keys(ROLES).join(', ')}`);
    const role = ROLES[given];
    const calls = this.#callsOf(fields);
    if (calls.length > 0 && role !== 'assistant') throw fields.fail('tool_calls', "belongs in an assistant's message");
    const more = { ...thoughtOf(fields), ...fields.beside() };
    const mayBeEmpty = role === 'assistant' && (calls.length > 0 || Object.keys(thoughtOf(fields)).length > 0);
    const content = mayBeEmpty && fields.value('content') === undefined ? '' : contentOf(fields, this.rules);
    const [name, id] = [fields.text('name', null), fields.text('tool_call_id', null)];
    const ofCall = given === 'function' ? this.#olderId : id;
    if (role === 'tool') return { ...this.#calls.result(ofCall, content, name ?? undefined), ...more };
    return {
      role,
      content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(name !== null && { name }),
      ...(id !== null && { tool_call_id: id }),
      ...more,
    };
  }

  #callsOf(fields: Fields<Rules>): EarlierCall[] {
    const calls = listed(fields, 'tool_calls', this.rules['messages[].tool_calls[]']).map((call) => {
      call.choice('type', ['function'], 'function');
      const called = call.object('function', this.rules['messages[].tool_calls[].function']);
      return this.#call(call.text('id', ''), called);
    });
    if (fields.value('function_call') === undefined) return calls;
    if (calls.length > 0) throw fields.fail('function_call', 'stands beside tool_calls; leave one of them out');
    this.#olderId = `call_${this.#count}`;
    return [this.#call(this.#olderId, fields.object('function_call', this.rules['messages[].function_call']))];
  }

  /** Clients send the arguments as JSON text; templates read an object. */
  #call(id: string, called: Fields<Rules>): EarlierCall {
    const name = called.text('name', '');
    if (name === '') throw called.fail('name', 'must be a string');
    return this.#calls.call(id, name, called.value('arguments'));
  }
}

/** Returns the reasoning of a message, by the keys that templates read. */
function thoughtOf<Rules>(fields: Fields<Rules>): Record<string, string> {
  const given = THOUGHTS.flatMap(([key, read]) => {
    const text = fields.text(key, null);
    return text === null ? [] : [[read, text] as const];
  });
  return Object.fromEntries(given);
}

/** Returns the content of a message as a text: the text itself, or its concatenated text parts. */
function contentOf<Rules>(fields: Fields<Rules>, rules: ChatRules<Rules>): string {
  if (!Array.isArray(fields.value('content'))) {
    const text = fields.text('content', null);
    if (text === null) throw fields.fail('content', 'must be a string or an array of text parts');
    return text;
  }
  for (const part of fields.objects('content', null)) {
    const type = part.text('type', 'text'); // parts of other types have other fields
    if (type !== 'text')
      throw part.fail('type', `is '${type}', which cannot be read; it must be 'text', as this model reads text only`);
  }
  return fields
    .objects('content', rules['messages[].content[]'])
    .map((part) => part.text('text', ''))
    .join('');
}

/** Converts tools, and removes fields that templates do not expect. */
export const readChatTools = <Rules>(fields: Fields<Rules>, rules: ChatRules<Rules>): Record<string, unknown>[] =>
  listed(fields, 'tools', rules['tools[]']).map((tool) => {
    tool.choice('type', ['function'], 'function');
    const called = tool.object('function', rules['tools[].function']);
    if (called.text('name', '') === '') throw called.fail('name', 'must be a string');
    called.text('description', '');
    called.boolean('strict');
    called.object('parameters', null);
    const { function: _, ...more } = tool.plain(UNREAD);
    return { ...more, function: called.plain(['defer_loading']) };
  });

/** Fields of a tool that are removed, since a template would write them into the prompt. */
const UNREAD = [
  'cache_control',
  'prompt_cache_breakpoint',
  'defer_loading',
  'async',
  'allowed_callers',
  'output_schema',
  'custom',
];
