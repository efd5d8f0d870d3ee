// What a client asks for, read from the body of POST /v1/chat/completions and /v1/completions.
// Fields: platform.openai.com/docs/api-reference; `top_k`, `repetition_penalty`, `return_token_ids` and `stop_token_ids` as vLLM has them.
import {
  MAX_TOP_LOGPROBS,
  type ChatMessage,
  type ChatTemplate,
  ChatTemplateError,
  type LogitRules,
  type SamplingOptions,
  type TemplateInputs,
} from '@bowyer/models';
import { callFormats, type CallFormat, type PartsOptions } from './message-parts.js';
import { checkArguments, checkCharacters, checkTokens, stopsOf, tokenLimit } from './request-bounds.js';
import { BadRequestError, RequestFields } from './request-fields.js';
import type { SteppedTokenizer } from './stepped-tokenizer.js';
import { inTurns } from './turns.js';

export interface CompletionRequest {
  prompts: Prompt[];
  /** Answers to each prompt. */
  n: number;
  maxTokens: number;
  sampling: Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'greedy'>;
  stops: string[];
  /** Null: the server's own stream of random numbers. */
  seed: number | null;
  stream: boolean;
  /** A stream ends with the counts of its tokens. */
  streamsUsage: boolean;
  logprobs: boolean;
  /** Number of most likely tokens to return beside each generated one. */
  topLogprobs: number;
  /** Whether the tokens of the prompts are returned with their log-probabilities. */
  scoresPrompts: boolean;
  /** Whether the ids of prompts and answers are returned, with the token that ended an answer, as vLLM does. */
  returnsIds: boolean;
  /** Tokens that end an answer beside the model's own. */
  stopIds: readonly number[];
  /** What is added to the logits of tokens. */
  logitBias: readonly (readonly [id: number, by: number])[];
  /** Subtracted from the logit of a token that was generated. */
  presencePenalty: number;
  /** Subtracted from the logit of a token once for each time it was generated. */
  frequencyPenalty: number;
  /** What the prompt and the answer so far change about logits. */
  rules: LogitRules;
  /** How a chat's answer is split; null: its text is its content. */
  parts: (PartsOptions & { singleCall: boolean }) | null;
}

export interface Prompt {
  ids: number[];
  /** Text at the beginning of the answer: the prompt, where `echo` is set. */
  echo: string;
}

/** What decides how a body is read. */
export interface RequestReader {
  tokenizer: SteppedTokenizer;
  /** Encodes with `tokenizer`. Null where the model has none. */
  template: ChatTemplate | null;
  contextLength: number;
  vocabSize: number;
  /** Ids that the model never writes, as padding: they have no log-probability. */
  maskedTokenIds: readonly number[];
  /** The model's name; other names are refused. */
  name: string;
  /** Most answers to one prompt. */
  slots: number;
  /** Most answers to all prompts: more never fit, however long they wait. */
  maxAnswers: number;
  /** Of the model; a request may bring another repetition penalty. */
  rules: LogitRules;
  /** How the template writes calls of tools; undefined: answers are not split, null: in none of the known ways. */
  callFormat?: () => CallFormat | null;
  /** What a request that leaves them out gets. */
  defaults: { temperature: number; topK: number; topP: number; maxTokens: number };
}

/** Fields of OpenAI's API and similar ones, with the values that have no effect. */
const notBuilt = {
  min_p: [0],
  best_of: [1],
  suffix: [''],
  functions: [],
  tool_choice: ['none', 'auto'],
} as const;

const roles: Record<string, ChatMessage['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** Stop tokens, and tokens with a bias: they go with the answer from round to round. */
const MOST_TOKENS = 4_096;

/** More are refused: no dialogue has as many, and some of the work for each is done in one go. */
const MOST_MESSAGES = 2_048;

const EMPTY = 'is empty; this model needs at least one token to continue from';

/** @throws {BadRequestError} before anything is encoded, where the length in characters shows that it cannot fit */
export async function readChatRequest(
  body: unknown,
  reader: RequestReader,
  signal: AbortSignal,
): Promise<CompletionRequest> {
  const fields = new RequestFields(body);
  const format = fields.object('response_format').text('type', 'text');
  if (format !== 'text') throw fields.fail('response_format', 'of another type than text is not supported');
  const { template } = reader;
  if (template === null)
    throw new BadRequestError(
      'this model has no chat template; the server can be given one (chat_template=FILE or a name), or use /v1/completions',
      'messages',
    );
  const given = fields.objects('messages');
  if (given.length > MOST_MESSAGES) throw fields.fail('messages', `has ${given.length} messages; at most ${MOST_MESSAGES} are allowed`); // prettier-ignore
  checkArguments(given);
  const messages = await inTurns(readMessages(given), signal);
  const logprobs = fields.boolean('logprobs');
  const topLogprobs = fields.number('top_logprobs', 0, { min: 0, max: MAX_TOP_LOGPROBS, whole: true });
  if (topLogprobs > 0 && !logprobs) throw fields.fail('top_logprobs', 'needs logprobs to be true');
  const settings = settingsOf(fields, { logprobs, topLogprobs, scoresPrompts: false }, reader);
  const characters = messages.reduce((sum, { role: _, ...texts }) => sum + charactersOf(texts), 0);
  checkCharacters(characters, reader, 'messages');
  let ids: number[];
  try {
    const encode = await inTurns(template.writePromptInSteps(messages, templateInputs(fields)), signal);
    ids = await inSteps(encode, reader, signal);
  } catch (error) {
    throw error instanceof ChatTemplateError ? new BadRequestError(error.message, 'messages') : error;
  }
  if (ids.length === 0) throw fields.fail('messages', EMPTY);
  const prompts = [{ ids, echo: '' }];
  const parts = partsOf(fields, ids, reader);
  const limit = { names: ['max_completion_tokens', 'max_tokens'], ofPrompt: 'messages', least: 1 };
  return { ...settings, prompts, parts, maxTokens: tokenLimit(fields, limit, prompts, reader) };
}

/** @throws {BadRequestError} where there are tools, and the template's calls cannot be read */
function partsOf(fields: RequestFields, ids: readonly number[], reader: RequestReader): CompletionRequest['parts'] {
  if (!reader.callFormat || fields.boolean('return_token_ids')) return null; // whose ids are the whole text's
  const { tools = [] } = objectsOf(fields, 'tools');
  const isOff = tools.length === 0 || fields.text('tool_choice', 'auto') === 'none';
  const format = isOff ? null : reader.callFormat();
  if (!isOff && format === null)
    throw fields.fail(
      'tools',
      `cannot be called: this model's chat template writes calls in none of the known ways (${callFormats.join(', ')}); ` +
        "tool_choice 'none' answers with the text alone",
    );
  const startsInReasoning = reader.tokenizer
    .decode(ids.slice(-PROMPT_END), { keepSpecialTokens: true })
    .trimEnd()
    .endsWith('<think>');
  const singleCall = fields.value('parallel_tool_calls') !== undefined && !fields.boolean('parallel_tool_calls');
  return { format, startsInReasoning, schemas: schemasOf(tools), singleCall };
}

/** Tokens that contain the mark that a prompt may end with. */
const PROMPT_END = 16;

/** Of parameters, by the tool's name. */
function schemasOf(tools: readonly Record<string, unknown>[]): PartsOptions['schemas'] {
  const functions = tools.map((tool) => new RequestFields(tool, 'tools').object('function'));
  return Object.fromEntries(
    functions.map((called) => [
      called.text('name', ''),
      (called.object('parameters').value('properties') ?? {}) as PartsOptions['schemas'][string],
    ]),
  );
}

/** @throws {BadRequestError} before anything is encoded, where the length in characters shows that it cannot fit */
export async function readTextRequest(
  body: unknown,
  reader: RequestReader,
  signal: AbortSignal,
): Promise<CompletionRequest> {
  const fields = new RequestFields(body);
  const echoes = fields.boolean('echo');
  const topLogprobs = fields.number('logprobs', null, { min: 0, max: 5, whole: true });
  const logprobs = topLogprobs !== null;
  const scoresPrompts = echoes && logprobs;
  if (scoresPrompts && topLogprobs > 0)
    throw fields.fail(
      'logprobs',
      'must be 0 together with echo: likely alternatives to given tokens are not supported',
    );
  if (scoresPrompts && fields.boolean('stream'))
    throw fields.fail('stream', 'together with echo and logprobs is not supported');
  const given = givenPrompts(fields, reader);
  fields.refuseUnlessNeutral({ top_logprobs: [0] }); // of chats; here it is the number in logprobs
  const settings = settingsOf(fields, { logprobs, topLogprobs: topLogprobs ?? 0, scoresPrompts }, reader);
  const { tokenizer, maxAnswers } = reader;
  const answers = given.length * settings.n;
  if (answers > maxAnswers) throw fields.fail('prompt', `asks for ${answers} answers at once; this server has room for ${maxAnswers}`); // prettier-ignore
  for (const prompt of given)
    if (typeof prompt === 'string') checkCharacters(prompt.length, reader, 'prompt');
    else checkTokens(prompt.length, reader, 'prompt');
  const texts = given.filter((prompt) => typeof prompt === 'string');
  const encoded = await inSteps(() => texts.map((text) => tokenizer.encodeWithSpecials(text)), reader, signal);
  const prompts = given.map((prompt) => {
    if (typeof prompt === 'string') return { ids: encoded.shift()!, echo: echoes ? prompt : '' };
    return { ids: prompt, echo: echoes ? tokenizer.decode(prompt) : '' };
  });
  if (prompts.some(({ ids }) => ids.length === 0)) throw fields.fail('prompt', EMPTY);
  if (scoresPrompts) {
    const masked = prompts.flatMap(({ ids }) => ids.slice(1)).find((id) => reader.maskedTokenIds.includes(id));
    if (masked !== undefined) throw fields.fail('prompt', `contains the token id ${masked}, which this model never writes, so it has no log-probability`); // prettier-ignore
  }
  const limit = { names: ['max_tokens'], ofPrompt: 'prompt', least: echoes ? 0 : 1 }; // 0: nothing but the prompt
  return { ...settings, prompts, parts: null, maxTokens: tokenLimit(fields, limit, prompts, reader) };
}

/** One token more than fits is enough to know. */
const inSteps = <Result>(encodeAll: () => Result, { tokenizer, contextLength }: RequestReader, signal: AbortSignal) =>
  tokenizer.inSteps(encodeAll, { maxTokens: contextLength + 1, signal });

function settingsOf(
  fields: RequestFields,
  logprobOptions: Pick<CompletionRequest, 'logprobs' | 'topLogprobs' | 'scoresPrompts'>,
  reader: RequestReader,
): Omit<CompletionRequest, 'prompts' | 'maxTokens' | 'parts'> {
  const { defaults, slots, vocabSize, rules } = reader;
  const penalty = { min: -2, max: 2 };
  checkModel(fields, reader);
  fields.refuseUnlessNeutral(notBuilt);
  const stops = stopsOf(fields);
  const returnsIds = fields.boolean('return_token_ids');
  if (returnsIds && stops.length > 0)
    throw fields.fail('stop', 'together with return_token_ids is not supported; give stop_token_ids');
  const temperature = fields.number('temperature', defaults.temperature, { min: 0, max: 2 });
  return {
    n: fields.number('n', 1, { min: 1, max: slots, whole: true }),
    sampling: {
      greedy: temperature === 0,
      temperature: temperature === 0 ? 1 : temperature,
      topK: Math.max(0, fields.number('top_k', defaults.topK, { min: -1, max: 2 ** 31, whole: true })),
      topP: fields.number('top_p', defaults.topP, { min: 1e-6, max: 1 }),
    },
    stops,
    seed: fields.number('seed', null, { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, whole: true }),
    stream: fields.boolean('stream'),
    streamsUsage: fields.object('stream_options').boolean('include_usage'),
    ...logprobOptions,
    returnsIds,
    stopIds: fields.ids('stop_token_ids', vocabSize, MOST_TOKENS),
    logitBias: fields.numbersById('logit_bias', { min: -100, max: 100, vocabSize, most: MOST_TOKENS }),
    presencePenalty: fields.number('presence_penalty', 0, penalty),
    frequencyPenalty: fields.number('frequency_penalty', 0, penalty),
    rules: {
      ...rules,
      repetitionPenalty: fields.number('repetition_penalty', rules.repetitionPenalty, { min: 0.01, max: 100 }),
    },
  };
}

function checkModel(fields: RequestFields, { name }: RequestReader): void {
  const asked = fields.text('model', name);
  if (asked !== name)
    throw new BadRequestError(
      `The model '${asked}' does not exist; this server has '${name}'`,
      'model',
      'model_not_found',
    );
}

function* readMessages(given: readonly RequestFields[]): Generator<undefined, ChatMessage[]> {
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
  const calls = fields.value('tool_calls') === undefined ? [] : fields.objects('tool_calls').map(toolCall);
  const more = PASSED_ON.flatMap((name) => (fields.value(name) === undefined ? [] : [[name, fields.text(name, '')]]));
  const hasCalls = role === 'assistant' && calls.length > 0;
  return {
    role: roles[role],
    content: hasCalls && fields.value('content') === undefined ? '' : content(fields),
    ...(hasCalls && { tool_calls: calls }),
    ...(Object.fromEntries(more) as Record<string, string>),
  };
}

/** Texts of a message that templates read. */
const PASSED_ON = ['name', 'tool_call_id', 'reasoning_content', 'thinking'];

/** Clients send the arguments as a text of JSON; templates take the object. */
function toolCall(call: RequestFields): Record<string, unknown> {
  const called = call.object('function');
  const given = called.value('arguments') ?? {};
  let args: unknown = given;
  try {
    if (typeof given === 'string') args = JSON.parse(given === '' ? '{}' : given);
  } catch {
    throw called.fail('arguments', 'must be an object, or a text of JSON');
  }
  const name = called.text('name', '');
  if (name === '') throw called.fail('name', 'must be a string');
  return { type: 'function', id: call.text('id', ''), function: { name, arguments: args } };
}

function templateInputs(fields: RequestFields): TemplateInputs {
  const variables = fields.value('chat_template_kwargs');
  if (variables !== undefined && (typeof variables !== 'object' || Array.isArray(variables)))
    throw fields.fail('chat_template_kwargs', 'must be an object');
  return {
    ...objectsOf(fields, 'tools'),
    ...objectsOf(fields, 'documents'),
    ...(variables !== undefined && { variables: variables as Record<string, unknown> }),
  };
}

function objectsOf(fields: RequestFields, name: 'tools' | 'documents'): Pick<TemplateInputs, 'tools' | 'documents'> {
  const value = fields.value(name);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  fields.objects(name);
  return { [name]: value as Record<string, unknown>[] };
}

/** A text, or parts of one. */
function content(fields: RequestFields): string {
  if (!Array.isArray(fields.value('content'))) {
    const text = fields.text('content', null);
    if (text === null) throw fields.fail('content', 'must be a string or an array of text parts');
    return text;
  }
  return fields
    .objects('content')
    .map((part) => {
      if (part.text('type', '') !== 'text') throw part.fail('type', "must be 'text'; this model reads text only");
      return part.text('text', '');
    })
    .join('');
}

/** A text or its tokens, or several of them. */
function givenPrompts(fields: RequestFields, { vocabSize }: RequestReader): (string | number[])[] {
  const value = fields.value('prompt');
  const isId = (id: unknown): id is number => Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabSize;
  const isIds = (item: unknown): item is number[] => Array.isArray(item) && item.length > 0 && item.every(isId);
  const list: unknown[] = Array.isArray(value) && !isIds(value) ? value : [value];
  const good = list.every((item): item is string | number[] => typeof item === 'string' || isIds(item));
  if (!good || list.length === 0)
    throw fields.fail('prompt', `must be a string, token ids below ${vocabSize}, or an array of these`);
  return list;
}

/** Of all texts in a message; calls and reasoning are rendered too. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + charactersOf(item), 0);
}
