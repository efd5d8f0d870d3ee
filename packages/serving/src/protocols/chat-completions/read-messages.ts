// The messages, tools and documents of a chat, as a chat template takes them.
import type { ChatMessage, TemplateInputs } from '@bowyer/text';
import { effortVariables } from '../../generation/chat-request.js';
import { callInHistory } from '../../generation/history.js';
import { type RequestFields } from '../fields/request-fields.js';
import { nestedChatFields } from './known-fields.js';

const roles: Record<string, ChatMessage['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** Texts of a message that templates read. */
const PASSED_ON = ['name', 'tool_call_id', 'reasoning_content', 'thinking'];

export function* readMessages(given: readonly RequestFields[]): Generator<undefined, ChatMessage[]> {
  const messages: ChatMessage[] = [];
  for (const fields of given) {
    messages.push(message(fields));
    yield;
  }
  return messages;
}

function message(fields: RequestFields): ChatMessage {
  const role = fields.text('role', '');
  if (!Object.hasOwn(roles, role)) throw fields.fail('role', `must be one of ${Object.keys(roles).join(', ')}`);
  const calls = callsOf(fields).map(toolCall);
  const hasCalls = role === 'assistant' && calls.length > 0;
  if (calls.length > 0 && !hasCalls) throw fields.fail('tool_calls', "belongs in an assistant's message");
  const more = PASSED_ON.flatMap((name) => (fields.value(name) === undefined ? [] : [[name, fields.text(name, '')]]));
  const reasoning = fields.text('reasoning', null); // vLLM's newer name
  return {
    role: roles[role],
    content: hasCalls && fields.value('content') === undefined ? '' : content(fields),
    ...(hasCalls && { tool_calls: calls }),
    ...(reasoning !== null && { reasoning_content: reasoning }),
    ...(Object.fromEntries(more) as Record<string, string>),
  };
}

/** Clients send an empty list too. */
export function callsOf(fields: RequestFields): RequestFields[] {
  const value = fields.value('tool_calls');
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  return fields.objects('tool_calls', nestedChatFields['messages[].tool_calls[]']);
}

export const functionOf = (call: RequestFields): RequestFields =>
  call.object('function', nestedChatFields['messages[].tool_calls[].function']);

/** Clients send the arguments as a text of JSON; templates take the object. */
function toolCall(call: RequestFields): object {
  call.choice('type', ['function'], 'function');
  const called = functionOf(call);
  const name = called.text('name', '');
  if (name === '') throw called.fail('name', 'must be a string');
  const given = { id: call.text('id', ''), name, arguments: called.value('arguments') };
  return callInHistory(given, (problem) => called.fail('arguments', problem));
}

/** A text, or parts of one. */
function content(fields: RequestFields): string {
  if (!Array.isArray(fields.value('content'))) {
    const text = fields.text('content', null);
    if (text === null) throw fields.fail('content', 'must be a string or an array of text parts');
    return text;
  }
  for (const part of fields.objects('content', null))
    // parts of other types have other fields
    if (part.text('type', '') !== 'text') throw part.fail('type', "must be 'text'; this model reads text only");
  return fields
    .objects('content', nestedChatFields['messages[].content[]'])
    .map((part) => part.text('text', ''))
    .join('');
}

/** The tools as the template takes them: without fields that no template reads. */
export function readTools(fields: RequestFields): Record<string, unknown>[] {
  if (isEmpty(fields.value('tools'))) return [];
  return fields.objects('tools', nestedChatFields['tools[]']).map((tool) => {
    tool.choice('type', ['function'], 'function');
    const called = tool.object('function', nestedChatFields['tools[].function']);
    if (called.text('name', '') === '') throw called.fail('name', 'must be a string');
    called.text('description', '');
    called.boolean('strict');
    called.object('parameters', null);
    const { function: _, ...more } = tool.plain(UNREAD);
    return { ...more, function: called.plain(['defer_loading']) };
  });
}

/** Fields of a tool that a template would write into the prompt with the others. */
const UNREAD = [
  'cache_control',
  'prompt_cache_breakpoint',
  'defer_loading',
  'async',
  'allowed_callers',
  'output_schema',
  'custom',
];

const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

/** @param known variables that the template reads, beside those that other fields of a request set */
export function templateInputs(
  fields: RequestFields,
  tools: readonly Record<string, unknown>[],
  known: readonly string[],
): TemplateInputs {
  const given = fields.object('chat_template_kwargs', null).plain();
  for (const name of Object.keys(given)) {
    if (ofTheRequest.includes(name))
      throw fields.fail('chat_template_kwargs', `has the variable '${name}', which is a field of the request itself`);
    if (known.includes(name)) continue;
    const others = known.length > 0 ? `it reads ${known.join(', ')}` : 'it has no variables of its own';
    throw fields.fail(
      'chat_template_kwargs',
      `has the variable '${name}', which the template does not read; ${others}`,
    );
  }
  const effort = fields.text('reasoning_effort', null);
  const variables = { ...(known.length > 0 && effortVariables(effort)), ...given };
  const documents = isEmpty(fields.value('documents')) ? [] : fields.objects('documents', null);
  return {
    ...(tools.length > 0 && { tools }),
    ...(documents.length > 0 && { documents: documents.map((document) => document.plain()) }),
    ...(Object.keys(variables).length > 0 && { variables }),
  };
}

/** Variables of templates that other fields of the request set. */
const ofTheRequest = [
  'messages',
  'tools',
  'documents',
  'add_generation_prompt',
  'continue_final_message',
  'chat_template',
  'tokenize',
];
