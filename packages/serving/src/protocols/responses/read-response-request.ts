// Reads the body of POST /v1/responses, and converts it to the server's internal form of a request.
import { readResponseItems, readResponseTools, type ResponseTools } from '@bowyer/conversations';
import { MAX_TOP_LOGPROBS } from '@bowyer/models';
import {
  chatTemplateOf,
  effortVariables,
  type AnswerFormat,
  type ChatNames,
  type ChatRequest,
} from '../../generation/chat-request.js';
import type { CompletionSettings, RequestReader } from '../../generation/completion-request.js';
import { checkArguments, checkMessageCount, noCut } from '../../generation/request-bounds.js';
import { BadRequestError } from '../../generation/request-error.js';
import { plainSettings, samplingOf } from '../../generation/settings.js';
import { inTurns } from '../../http/turn.js';
import { modelOf } from '../fields/model-name.js';
import { RequestFields } from '../fields/request-fields.js';
import { schemaFormat, toolChoiceOf } from '../fields/tool-choice.js';
import { nestedResponseFields as nested, responseFields } from './known-fields.js';
import { givenItems } from './given-items.js';
import type { Item, StoredResponses } from './stored-responses.js';

const names: ChatNames = { messages: 'input', tools: 'tools', toolChoice: 'tool_choice', format: 'text.format' };

export interface ResponseRequest {
  chat: ChatRequest;
  /** The input items of the request itself, and (`context`) those of the conversation that it continues. */
  input: readonly Item[];
  context: readonly Item[];
  store: boolean;
  /** The fields of the request that the response to it repeats. */
  repeated: Readonly<Record<string, unknown>>;
  /** Whether the answer contains the reasoning as a summary. */
  summarizes: boolean;
  /** The names of additional data that the request's field `include` asks for. */
  include: readonly string[];
  spaced: ResponseTools['spaced'];
  /** The names of fields that this server does not know, and of tools that it omits. */
  ignored: readonly string[];
}

export async function readResponseRequest(
  body: unknown,
  reader: RequestReader,
  stored: StoredResponses,
  signal: AbortSignal,
): Promise<ResponseRequest> {
  const ignored: string[] = [];
  const fields = new RequestFields(body, responseFields, '', ignored);
  const template = chatTemplateOf(reader, names);
  const input = givenItems(fields, stored);
  const items = [...previous(fields, stored), ...input];
  if (items.length === 0) throw fields.fail('input', 'must be a text or an array of items');
  checkMessageCount(items.length, 'input');
  checkArguments(
    items.map((item) => item.arguments),
    'input',
  );
  const instructions = fields.text('instructions', '');
  const messages = await inTurns(readResponseItems(fields, items, instructions, nested), signal);
  const { tools, spaced, left } = readResponseTools(fields, nested);
  ignored.push(...left);
  const reasoning = fields.object('reasoning', nested.reasoning);
  const variables = template.ownVariables.length > 0 ? effortVariables(reasoning.text('effort', null)) : {};
  const include = fields.texts('include');
  const chat: ChatRequest = {
    messages,
    template,
    inputs: { ...(tools.length > 0 && { tools }), ...(Object.keys(variables).length > 0 && { variables }) },
    ending: 'reply',
    toolChoice: toolChoiceOf(fields, tools, (choice) =>
      fields.within(choice.plain(), nested.tool_choice, 'tool_choice'),
    ),
    parallelCalls: fields.boolean('parallel_tool_calls', true),
    format: formatOf(fields),
    settings: settingsOf(fields, include, reader),
    maxTokens: fields.number('max_output_tokens', null, { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true }),
    reasoningBudget: null,
    limitGivesWay: false,
    cut: noCut,
    names,
  };
  const store = fields.boolean('store', true);
  const summary = reasoning.text('summary', reasoning.text('generate_summary', null));
  const repeated = repeatedOf(fields, chat, store);
  return { chat, spaced, input, context: items, store, repeated, summarizes: summary !== null, include, ignored };
}

/** Returns all items of the conversation up to the stored response that this request continues. */
function previous(fields: RequestFields, stored: StoredResponses): readonly Item[] {
  const id = fields.text('previous_response_id', null);
  if (id === null) return [];
  const found = stored.get(id);
  if (found !== undefined) return found.context;
  throw new BadRequestError(
    `Previous response with id '${id}' not found; this server keeps only the newest stored responses`,
    'previous_response_id',
    'previous_response_not_found',
  );
}

function settingsOf(fields: RequestFields, include: readonly string[], reader: RequestReader): CompletionSettings {
  const { defaults } = reader;
  fields.object('stream_options', nested.stream_options);
  const temperature = fields.number('temperature', defaults.temperature, { min: 0, max: 2 });
  const topP = fields.number('top_p', defaults.topP, { min: 0, max: 1 });
  const topLogprobs = fields.number('top_logprobs', 0, { min: 0, max: MAX_TOP_LOGPROBS, whole: true });
  return {
    ...plainSettings(reader),
    model: modelOf(fields, reader),
    stream: fields.boolean('stream'),
    sampling: samplingOf({ temperature, topP }, reader),
    logprobs: include.includes('message.output_text.logprobs') || topLogprobs > 0,
    topLogprobs,
  };
}

function formatOf(fields: RequestFields): AnswerFormat {
  const format = fields.object('text', nested.text).object('format', nested['text.format']);
  const type = format.choice('type', ['text', 'json_object', 'json_schema'], 'text');
  if (type === 'text') return { kind: 'text' };
  return type === 'json_object' ? { kind: 'object' } : schemaFormat(format);
}

/** Returns the fields of a request that its response repeats, with the default values of fields that the request lacks. */
function repeatedOf(fields: RequestFields, { settings }: ChatRequest, store: boolean): Record<string, unknown> {
  const { sampling } = settings;
  return {
    instructions: fields.value('instructions') ?? null,
    previous_response_id: fields.value('previous_response_id') ?? null,
    metadata: fields.value('metadata') === undefined ? {} : fields.object('metadata', null).plain(),
    max_output_tokens: fields.value('max_output_tokens') ?? null,
    parallel_tool_calls: fields.value('parallel_tool_calls') ?? true,
    temperature: sampling.greedy ? 0 : sampling.temperature,
    top_p: sampling.topP,
    top_logprobs: settings.topLogprobs,
    tool_choice: fields.value('tool_choice') ?? 'auto',
    tools: repeatedTools(fields),
    text: { format: { type: 'text' }, ...fields.object('text', null).plain() },
    reasoning: { effort: null, summary: null, ...fields.object('reasoning', null).plain() },
    truncation: 'disabled',
    background: false,
    store,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    max_tool_calls: fields.value('max_tool_calls') ?? null,
    service_tier: 'default',
    safety_identifier: fields.value('safety_identifier') ?? null,
    prompt_cache_key: fields.value('prompt_cache_key') ?? null,
  };
}

/** Returns the tools of a request as its response repeats them: clients expect that functions have all of their fields. */
function repeatedTools(fields: RequestFields): unknown[] {
  const tools = (fields.value('tools') ?? []) as { type: string }[];
  const defaults = { description: null, parameters: null, strict: false };
  return tools.map((tool) => (tool.type === 'function' ? { ...defaults, ...tool } : tool));
}
