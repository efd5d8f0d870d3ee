// Reads the body of POST /v1/chat/completions, and converts it to the server's internal form of a request.
import { MAX_TOP_LOGPROBS } from '@bowyer/models';
import { readChatMessages, readChatTools } from '@bowyer/conversations';
import { ChatTemplateError, type ChatMessage, type ChatTemplate, type PromptEnding } from '@bowyer/text';
import { chatTemplateOf, type AnswerFormat, type ChatNames } from '../../generation/chat-request.js';
import { writtenChat } from '../../generation/write-chat.js';
import type { CompletionRequest, RequestReader } from '../../generation/completion-request.js';
import { checkArguments, checkMessageCount } from '../../generation/request-bounds.js';
import { BadRequestError } from '../../generation/request-error.js';
import { inTurns } from '../../http/turn.js';
import { schemaFormat, toolChoiceOf } from '../fields/tool-choice.js';
import { served } from '../fields/field-rules.js';
import { RequestFields } from '../fields/request-fields.js';
import { checkAnswerLimits, givenLimit, promptCut } from '../openai/read-limits.js';
import { readSettings } from '../openai/read-settings.js';
import { chatFields, nestedChatFields } from './known-fields.js';
import { templateInputs } from './template-inputs.js';

/** The most characters of a chat template that a request contains. */
const LONGEST_TEMPLATE = 2 ** 16;

const names: ChatNames = {
  messages: 'messages',
  tools: 'tools',
  toolChoice: 'tool_choice',
  format: 'response_format',
};

/** Throws BadRequestError if it cannot fit into the context, as its number of characters may show before it is encoded. */
export async function readChatRequest(
  body: unknown,
  reader: RequestReader,
  signal: AbortSignal,
): Promise<CompletionRequest> {
  const fields = new RequestFields(body, chatFields);
  const format = formatOf(fields);
  const template = templateOf(fields, reader);
  const messages = await messagesOf(fields, signal);
  const logprobs = fields.boolean('logprobs');
  const topLogprobs = fields.number('top_logprobs', 0, { min: 0, max: MAX_TOP_LOGPROBS, whole: true });
  if (topLogprobs > 0 && !logprobs) throw fields.fail('top_logprobs', 'needs logprobs to be true');
  const settings = readSettings(fields, { logprobs, topLogprobs, scoresPrompts: false }, reader);
  const limit = { names: ['max_completion_tokens', 'max_tokens'], least: 1 };
  const cut = promptCut(fields, limit, reader);
  const tools = readChatTools(fields, nestedChatFields);
  const inputs = templateInputs(fields, tools, template.ownVariables);
  const ending = endingOf(fields, messages);
  const toolChoice = toolChoiceOf(fields, tools, (choice) => choice.object('function', served('name')));
  const parallelCalls = fields.boolean('parallel_tool_calls', true);
  const maxTokens = givenLimit(fields, limit);
  const chat = {
    messages,
    inputs,
    template,
    ending,
    toolChoice,
    parallelCalls,
    format,
    settings,
    maxTokens,
    reasoningBudget: null,
    limitGivesWay: false,
    cut,
    names,
  };
  const request = await writtenChat(chat, reader, signal);
  checkAnswerLimits(fields, settings, request.maxTokens);
  return request;
}

function formatOf(fields: RequestFields): AnswerFormat {
  const given = fields.object('response_format', nestedChatFields.response_format);
  const type = given.choice('type', ['text', 'json_object', 'json_schema'], 'text');
  if (type !== 'json_schema' && given.value('json_schema') !== undefined)
    throw given.fail('json_schema', "needs the type 'json_schema'");
  if (type === 'text') return { kind: 'text' };
  if (type === 'json_object') return { kind: 'object' };
  return schemaFormat(given.object('json_schema', nestedChatFields['response_format.json_schema']));
}

function messagesOf(fields: RequestFields, signal: AbortSignal): Promise<ChatMessage[]> {
  const given = fields.objects('messages', nestedChatFields['messages[]']);
  checkMessageCount(given.length, 'messages');
  checkArguments(given.flatMap(argumentsOf), 'messages');
  return inTurns(readChatMessages(given, nestedChatFields), signal);
}

function argumentsOf(message: RequestFields): unknown[] {
  const { tool_calls: calls, function_call: called } = message.plain() as {
    tool_calls?: unknown;
    function_call?: unknown;
  };
  const functions = (Array.isArray(calls) ? calls : []).map(
    (call) => (call as { function?: unknown } | null)?.function,
  );
  return [...functions, called].map((each) => (each as { arguments?: unknown } | null | undefined)?.arguments);
}

function templateOf(fields: RequestFields, reader: RequestReader): ChatTemplate {
  const { templateOf: make } = reader;
  const source = fields.text('chat_template', null);
  if (source !== null && make === undefined)
    throw fields.fail(
      'chat_template',
      'of a request is not used by this server; it can be started with task.trust_request_chat_template=true',
    );
  if (source !== null && source.length > LONGEST_TEMPLATE)
    throw fields.fail('chat_template', `has ${source.length} characters; at most ${LONGEST_TEMPLATE} are allowed`);
  try {
    if (source !== null) return make!(source);
  } catch (error) {
    throw error instanceof ChatTemplateError ? new BadRequestError(error.message, 'chat_template') : error;
  }
  return chatTemplateOf(reader, names);
}

/**
 * Returns how the prompt ends: with the header of a new reply, or within the last message, which the answer then continues. A
 * continued message is not a new one, even without `add_generation_prompt`.
 */
function endingOf(fields: RequestFields, messages: readonly ChatMessage[]): PromptEnding {
  const asks = fields.value('add_generation_prompt');
  fields.boolean('add_generation_prompt');
  if (!fields.boolean('continue_final_message')) return asks === false ? 'message' : 'reply';
  if (asks === true)
    throw fields.fail(
      'continue_final_message',
      'together with add_generation_prompt contradicts itself: one continues the last message, the other begins a new one',
    );
  const last = messages.at(-1)!;
  if (last.role !== 'assistant' || last.tool_calls !== undefined)
    throw fields.fail('continue_final_message', "needs an assistant's message of text as the last one");
  return 'open';
}
