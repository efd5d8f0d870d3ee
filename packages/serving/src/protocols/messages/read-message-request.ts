// Reads the body of POST /v1/messages, and converts it to the server's internal form of a request.
import { readAnthropicMessages, readAnthropicTools } from '@bowyer/conversations';
import type { TemplateInputs } from '@bowyer/text';
import {
  chatTemplateOf,
  effortVariables,
  type AnswerFormat,
  type ChatNames,
  type ChatRequest,
  type ToolChoice,
} from '../../generation/chat-request.js';
import type { CompletionSettings, RequestReader } from '../../generation/completion-request.js';
import { checkedStops, checkMessageCount, noCut } from '../../generation/request-bounds.js';
import { plainSettings, samplingOf } from '../../generation/settings.js';
import { inTurns } from '../../http/turn.js';
import { modelOf } from '../fields/model-name.js';
import { RequestFields } from '../fields/request-fields.js';
import { namedTool, schemaFormat } from '../fields/tool-choice.js';
import { messageFields, nestedMessageFields as nested } from './known-fields.js';

const names: ChatNames = {
  messages: 'messages',
  tools: 'tools',
  toolChoice: 'tool_choice',
  format: 'output_config.format',
  reasoningBudget: 'thinking.budget_tokens',
};

interface MessageRequest {
  chat: ChatRequest;
  /** Whether the answer omits the text of the reasoning. */
  omitsThinking: boolean;
  /** The names of fields that this server does not know and has ignored. */
  ignored: readonly string[];
}

/** @param isCount whether only the prompt's tokens are counted, so that no token limit is needed */
export async function readMessageRequest(
  body: unknown,
  reader: RequestReader,
  signal: AbortSignal,
  isCount: boolean,
): Promise<MessageRequest> {
  const ignored: string[] = [];
  const fields = new RequestFields(body, messageFields, '', ignored);
  const template = chatTemplateOf(reader, names);
  checkEdits(fields);
  const given = fields.objects('messages', nested['messages[]']);
  checkMessageCount(given.length, 'messages');
  const messages = await inTurns(readAnthropicMessages(fields, given, nested), signal);
  const tools = readAnthropicTools(fields, nested);
  const { choice, parallelCalls } = choiceOf(fields, tools);
  const output = fields.object('output_config', nested.output_config);
  const thinking = fields.object('thinking', nested.thinking);
  const variables = template.ownVariables.length > 0 ? variablesOf(thinking, output) : {};
  const last = messages.at(-1);
  const chat: ChatRequest = {
    messages,
    template,
    inputs: { ...(tools.length > 0 && { tools }), ...(Object.keys(variables).length > 0 && { variables }) },
    // If the last message is the assistant's, the answer continues it, as in Anthropic's API.
    ending: last?.role === 'assistant' && last.tool_calls === undefined ? 'open' : 'reply',
    toolChoice: choice,
    parallelCalls,
    format: formatOf(fields, output),
    settings: settingsOf(fields, reader),
    maxTokens: limitOf(fields, isCount),
    reasoningBudget: isCount ? null : budgetOf(thinking, fields),
    limitGivesWay: true,
    cut: noCut,
    names,
  };
  return { chat, omitsThinking: thinking.text('display', '') === 'omitted', ignored };
}

function limitOf(fields: RequestFields, isCount: boolean): number | null {
  if (!isCount && fields.value('max_tokens') === undefined) throw fields.fail('max_tokens', 'is missing');
  return fields.number('max_tokens', null, { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true });
}

/**
 * Returns the limit on reasoning tokens; null unless `thinking` has the type `enabled`. The answer's token limit must exceed it,
 * since it includes the reasoning, as in Anthropic's API.
 */
function budgetOf(thinking: RequestFields, fields: RequestFields): number | null {
  const budget = thinking.number('budget_tokens', null, { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true });
  if (budget === null || thinking.text('type', '') !== 'enabled') return null;
  const limit = limitOf(fields, false)!;
  if (limit > budget) return budget;
  throw fields.fail('max_tokens', `is ${limit} and must be greater than thinking.budget_tokens, which is ${budget}`);
}

function settingsOf(fields: RequestFields, reader: RequestReader): CompletionSettings {
  const { defaults } = reader;
  const temperature = fields.number('temperature', defaults.temperature, { min: 0, max: 2 });
  const topP = fields.number('top_p', defaults.topP, { min: 0, max: 1 });
  const topK = fields.number('top_k', defaults.topK, { min: -1, max: 2 ** 31, whole: true });
  return {
    ...plainSettings(reader),
    model: modelOf(fields, reader),
    stream: fields.boolean('stream'),
    sampling: samplingOf({ temperature, topP, topK }, reader),
    stops: checkedStops(fields.texts('stop_sequences'), 'stop_sequences'),
  };
}

function choiceOf(
  fields: RequestFields,
  tools: NonNullable<TemplateInputs['tools']>,
): { choice: ToolChoice; parallelCalls: boolean } {
  const given = fields.object('tool_choice', nested.tool_choice);
  const type = given.choice('type', ['auto', 'any', 'tool', 'none'], 'auto');
  const parallelCalls = !given.boolean('disable_parallel_tool_use');
  if (type === 'auto' || type === 'none') return { choice: type, parallelCalls };
  if (tools.length === 0) throw fields.fail('tool_choice', 'needs tools');
  if (type === 'any') return { choice: 'required', parallelCalls };
  const name = namedTool(given.text('name', ''), tools, (problem) => given.fail('name', problem));
  return { choice: { name }, parallelCalls: false };
}

/** Reads the required JSON schema of the answer, from `output_config.format` or from its older name `output_format`. */
function formatOf(fields: RequestFields, output: RequestFields): AnswerFormat {
  const [holder, name] = output.value('format') === undefined ? [fields, 'output_format'] : [output, 'format'];
  if (holder.value(name) === undefined) return { kind: 'text' };
  const format = holder.object(name, nested['output_config.format']);
  format.choice('type', ['json_schema'], 'json_schema');
  return schemaFormat(format);
}

/** Without the field `thinking` no variable is set: the template decides whether a reply begins with reasoning. */
function variablesOf(thinking: RequestFields, output: RequestFields): Record<string, unknown> {
  const type = thinking.choice('type', ['enabled', 'adaptive', 'between_tools', 'disabled', ''], '');
  const effort = effortVariables(output.text('effort', null));
  if (type === '' || type === 'between_tools') return effort;
  return { ...effort, enable_thinking: type !== 'disabled' };
}

/** Refuses settings that would remove parts of the prompt. @throws {BadRequestError} with the name of the edit */
function checkEdits(fields: RequestFields): void {
  const management = fields.object('context_management', nested.context_management);
  const edits = management.value('edits');
  if (edits === undefined || (Array.isArray(edits) && edits.length === 0)) return;
  for (const edit of management.objects('edits', null)) {
    const isKept = edit.text('type', '').startsWith('clear_thinking_') && edit.value('keep') === 'all';
    if (!isKept)
      throw edit.fail(
        'type',
        `is '${edit.text('type', '')}', which is not supported by this server; leave the edit out`,
      );
  }
}
