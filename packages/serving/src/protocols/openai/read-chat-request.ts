// The body of POST /v1/chat/completions as a request of this server's own form.
import { MAX_TOP_LOGPROBS } from '@bowyer/models';
import { ChatTemplateError, type ChatMessage, type ChatTemplate, type PromptEnding } from '@bowyer/text';
import type { CompletionRequest, RequestReader } from '../../generation/completion-request.js';
import { chatFields, nestedFields } from './known-fields.js';
import { callFormats, type PartsOptions } from '../../tool-calls/message-parts.js';
import { readMessages, readTools, templateInputs } from './read-messages.js';
import { readSettings } from './read-settings.js';
import {
  checkAnswerLimits,
  checkArguments,
  checkCharacters,
  inSteps,
  promptCut,
  tokenLimit,
} from './request-bounds.js';
import { BadRequestError, RequestFields } from './request-fields.js';
import { inTurns } from '../../http/turns.js';

/** More are refused: no dialogue has as many, and some of the work for each is done in one go. */
const MOST_MESSAGES = 2_048;

/** Characters of a template that a request brings. */
const LONGEST_TEMPLATE = 2 ** 16;

/** @throws {BadRequestError} before anything is encoded, where the length in characters shows that it cannot fit */
export async function readChatRequest(
  body: unknown,
  reader: RequestReader,
  signal: AbortSignal,
): Promise<CompletionRequest> {
  const fields = new RequestFields(body, chatFields);
  fields.object('response_format', { ...nestedFields.response_format }).choice('type', ['text'], 'text');
  const template = templateOf(fields, reader);
  const given = fields.objects('messages', nestedFields['messages[]']);
  if (given.length > MOST_MESSAGES)
    throw fields.fail('messages', `has ${given.length} messages; at most ${MOST_MESSAGES} are allowed`);
  checkArguments(given);
  const messages = await inTurns(readMessages(given), signal);
  const logprobs = fields.boolean('logprobs');
  const topLogprobs = fields.number('top_logprobs', 0, { min: 0, max: MAX_TOP_LOGPROBS, whole: true });
  if (topLogprobs > 0 && !logprobs) throw fields.fail('top_logprobs', 'needs logprobs to be true');
  const settings = readSettings(fields, { logprobs, topLogprobs, scoresPrompts: false }, reader);
  const limit = { names: ['max_completion_tokens', 'max_tokens'], ofPrompt: 'messages', least: 1 };
  const cut = promptCut(fields, limit, reader);
  const tools = readTools(fields);
  const inputs = templateInputs(fields, tools, template.takesVariables);
  const characters = messages.reduce((sum, { role: _, ...texts }) => sum + charactersOf(texts), charactersOf(inputs));
  checkCharacters(characters, reader, 'messages', cut);
  const ending = endingOf(fields, messages);
  let whole: number[];
  try {
    const encode = await inTurns(template.writePromptInSteps(messages, inputs, ending), signal);
    whole = await inSteps(encode, reader, cut, signal);
  } catch (error) {
    throw error instanceof ChatTemplateError ? new BadRequestError(error.message, 'messages') : error;
  }
  const ids = cut(whole);
  if (ids.length === 0) throw fields.fail('messages', 'is empty; this model needs at least one token to continue from');
  const prompts = [{ ids, echo: '' }];
  const opened = ending === 'open' ? (messages.at(-1)!.content as string) : null;
  const parts = partsOf(fields, { template, tools, ids, opened }, reader);
  const maxTokens = tokenLimit(fields, limit, prompts, reader);
  checkAnswerLimits(fields, settings, maxTokens);
  const stopIds = template === reader.template ? settings.stopIds : [...settings.stopIds, ...template.terminatorIds];
  return { ...settings, stopIds, prompts, parts, continuesText: opened !== null, maxTokens };
}

function templateOf(fields: RequestFields, { template, templateOf: make }: RequestReader): ChatTemplate {
  const source = fields.text('chat_template', null);
  if (source !== null && make === undefined)
    throw fields.fail(
      'chat_template',
      'of a request is not used by this server; it can be started with trust_request_chat_template=true',
    );
  if (source !== null && source.length > LONGEST_TEMPLATE)
    throw fields.fail('chat_template', `has ${source.length} characters; at most ${LONGEST_TEMPLATE} are allowed`);
  try {
    if (source !== null) return make!(source);
  } catch (error) {
    throw error instanceof ChatTemplateError ? new BadRequestError(error.message, 'chat_template') : error;
  }
  if (template !== null) return template;
  throw new BadRequestError(
    'this model has no chat template; the server can be given one (chat_template=FILE or a name), or use /v1/completions',
    'messages',
  );
}

/** Without add_generation_prompt a message that is continued is still no new one. */
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

interface Written {
  template: ChatTemplate;
  tools: readonly Record<string, unknown>[];
  ids: readonly number[];
  /** The text of the message that is continued. */
  opened: string | null;
}

/** @throws {BadRequestError} where there are tools, and the template's calls cannot be read */
function partsOf(
  fields: RequestFields,
  { template, tools, ids, opened }: Written,
  reader: RequestReader,
): CompletionRequest['parts'] {
  const choice = toolChoiceOf(fields);
  if (!reader.callFormat || fields.boolean('return_token_ids')) return null; // whose ids are the whole text's
  const isOff = tools.length === 0 || choice === 'none';
  const format = isOff ? null : reader.callFormat(template);
  if (!isOff && format === null)
    throw fields.fail(
      'tools',
      `cannot be called: this model's chat template writes calls in none of the known ways (${callFormats.join(', ')}); ` +
        "tool_choice 'none' answers with the text alone",
    );
  const singleCall = !fields.boolean('parallel_tool_calls', true);
  return { format, startsInReasoning: isThinking(ids, opened, reader), schemas: schemasOf(tools), singleCall };
}

function toolChoiceOf(fields: RequestFields): 'none' | 'auto' {
  const value = fields.value('tool_choice') ?? 'auto';
  if (value === 'none' || value === 'auto') return value;
  throw fields.fail('tool_choice', "is not supported by this server; 'none' and 'auto' are");
}

/** Tokens that contain the mark that a prompt may end with. */
const PROMPT_END = 16;

/** Whether the answer begins within reasoning: behind the prompt's mark, or the message's own. */
function isThinking(ids: readonly number[], opened: string | null, { tokenizer }: RequestReader): boolean {
  if (opened?.includes('think>')) return opened.lastIndexOf('<think>') > opened.lastIndexOf('</think>');
  const end = tokenizer.decode(ids.slice(-PROMPT_END), { keepSpecialTokens: true });
  return opened === null && end.trimEnd().endsWith('<think>');
}

/** The schemas of parameters, by the tool's name. */
const schemasOf = (tools: readonly Record<string, unknown>[]): PartsOptions['schemas'] =>
  Object.fromEntries(
    tools.map((tool) => {
      const { name, parameters } = tool.function as { name: string; parameters?: { properties?: unknown } | null };
      return [name, (parameters?.properties ?? {}) as PartsOptions['schemas'][string]];
    }),
  );

/** The number of characters of all texts in a message or beside the messages; calls, reasoning, tools and documents are rendered too. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + charactersOf(item), 0);
}
