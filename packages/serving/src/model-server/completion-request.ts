// What a client asks for, read from the body of POST /v1/chat/completions and /v1/completions.
// Fields: platform.openai.com/docs/api-reference; `top_k` as other servers of that API have it.
import { maximum } from '@bowyer/core';
import {
  MAX_TOP_LOGPROBS,
  type ChatMessage,
  type ChatTemplate,
  ChatTemplateError,
  type SamplingOptions,
  type Tokenizer,
} from '@bowyer/models';
import { BadRequestError, RequestFields } from './request-fields.js';

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
  /** What is added to the logits of tokens. */
  logitBias: readonly (readonly [id: number, by: number])[];
  /** Subtracted from the logit of a token that was generated. */
  presencePenalty: number;
  /** Subtracted from the logit of a token once for each time it was generated. */
  frequencyPenalty: number;
}

export interface Prompt {
  ids: number[];
  /** Text at the beginning of the answer: the prompt, where `echo` is set. */
  echo: string;
}

/** What decides how a body is read. */
export interface RequestReader {
  tokenizer: Tokenizer;
  /** Null where the model has none. */
  template: ChatTemplate | null;
  contextLength: number;
  vocabSize: number;
  /** The model's name; other names are refused. */
  name: string;
  /** Most answers to one prompt. */
  slots: number;
  /** What a request that leaves them out gets. */
  defaults: { temperature: number; topK: number; topP: number; maxTokens: number };
}

/** Fields of OpenAI's API and similar ones, with the values that have no effect. */
const notBuilt = {
  repetition_penalty: [1],
  min_p: [0],
  best_of: [1],
  suffix: [''],
  tools: [],
  functions: [],
  tool_choice: ['none', 'auto'],
} as const;

const roles: Record<string, ChatMessage['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

export function readChatRequest(body: unknown, reader: RequestReader): CompletionRequest {
  const fields = new RequestFields(body);
  const format = fields.object('response_format').text('type', 'text');
  if (format !== 'text') throw fields.fail('response_format', 'of another type than text is not supported');
  const { template } = reader;
  if (template === null)
    throw new BadRequestError(
      'this model has no chat template; the server can be given one (chat_template=FILE or a name), or use /v1/completions',
      'messages',
    );
  const messages = fields.objects('messages').map(message);
  let ids: number[];
  try {
    ids = template.encodePrompt(messages);
  } catch (error) {
    throw error instanceof ChatTemplateError ? new BadRequestError(error.message, 'messages') : error;
  }
  const logprobs = fields.boolean('logprobs');
  const topLogprobs = fields.number('top_logprobs', 0, { min: 0, max: MAX_TOP_LOGPROBS, whole: true });
  if (topLogprobs > 0 && !logprobs) throw fields.fail('top_logprobs', 'needs logprobs to be true');
  return request(fields, [{ ids, echo: '' }], { logprobs, topLogprobs, scoresPrompts: false }, reader, {
    limit: ['max_completion_tokens', 'max_tokens'],
    ofPrompt: 'messages',
    least: 1,
  });
}

export function readTextRequest(body: unknown, reader: RequestReader): CompletionRequest {
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
  const { tokenizer } = reader;
  const prompts = givenPrompts(fields, reader).map((prompt) => {
    const ids = typeof prompt === 'string' ? tokenizer.encodeWithSpecials(prompt) : prompt;
    const text = typeof prompt === 'string' ? prompt : tokenizer.decode(prompt);
    return { ids, echo: echoes ? text : '' };
  });
  fields.refuseUnlessNeutral({ top_logprobs: [0] }); // of chats; here it is the number in logprobs
  const logprobOptions = { logprobs, topLogprobs: topLogprobs ?? 0, scoresPrompts };
  const least = echoes ? 0 : 1; // nothing but the prompt
  return request(fields, prompts, logprobOptions, reader, { limit: ['max_tokens'], ofPrompt: 'prompt', least });
}

function request(
  fields: RequestFields,
  prompts: Prompt[],
  logprobOptions: Pick<CompletionRequest, 'logprobs' | 'topLogprobs' | 'scoresPrompts'>,
  reader: RequestReader,
  { limit, ofPrompt, least }: { limit: readonly string[]; ofPrompt: string; least: number },
): CompletionRequest {
  const { defaults, slots, contextLength, vocabSize } = reader;
  const penalty = { min: -2, max: 2 };
  checkModel(fields, reader);
  fields.refuseUnlessNeutral(notBuilt);
  const stops = fields.texts('stop').filter((stop) => stop !== '');
  if (stops.length > 16) throw fields.fail('stop', `has ${stops.length} strings; at most 16 are allowed`);
  const temperature = fields.number('temperature', defaults.temperature, { min: 0, max: 2 });
  return {
    prompts,
    n: fields.number('n', 1, { min: 1, max: slots, whole: true }),
    maxTokens: tokenLimit(fields, limit, prompts, { ofPrompt, least, contextLength, otherwise: defaults.maxTokens }),
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
    logitBias: fields.numbersById('logit_bias', { min: -100, max: 100, vocabSize }),
    presencePenalty: fields.number('presence_penalty', 0, penalty),
    frequencyPenalty: fields.number('frequency_penalty', 0, penalty),
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

/** The prompts and what is to follow must fit into the context; a default limit gives way to what room there is. */
function tokenLimit(
  fields: RequestFields,
  names: readonly string[],
  prompts: readonly Prompt[],
  { ofPrompt, least, contextLength, otherwise }: { ofPrompt: string; least: number; contextLength: number; otherwise: number }, // prettier-ignore
): number {
  const longest = maximum(prompts.map(({ ids }) => ids.length));
  const room = contextLength - longest;
  const [name] = names.filter((each) => fields.value(each) !== undefined);
  const range = { min: least, max: Number.MAX_SAFE_INTEGER, whole: true };
  const asked = name === undefined ? Math.min(otherwise, Math.max(1, room)) : fields.number(name, otherwise, range);
  if (asked <= room) return asked;
  throw new BadRequestError(
    `This model's maximum context length is ${contextLength} tokens; you asked for ${longest + asked} ` +
      `(${longest} in the ${ofPrompt}, ${asked} in the completion). Shorten the ${ofPrompt} or the completion.`,
    ofPrompt,
    'context_length_exceeded',
  );
}

function message(fields: RequestFields): ChatMessage {
  const role = fields.text('role', '');
  if (!Object.hasOwn(roles, role)) throw fields.fail('role', `must be one of ${Object.keys(roles).join(', ')}`);
  return { role: roles[role], content: content(fields) };
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
function givenPrompts(fields: RequestFields, { tokenizer, vocabSize }: RequestReader): (string | number[])[] {
  const value = fields.value('prompt');
  const isId = (id: unknown): id is number => Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabSize;
  const isIds = (item: unknown): item is number[] => Array.isArray(item) && item.length > 0 && item.every(isId);
  const list: unknown[] = Array.isArray(value) && !isIds(value) ? value : [value];
  const good = list.every((item): item is string | number[] => typeof item === 'string' || isIds(item));
  if (!good || list.length === 0)
    throw fields.fail('prompt', `must be a string, token ids below ${vocabSize}, or an array of these`);
  const empty = list.some((item) => typeof item === 'string' && tokenizer.encodeWithSpecials(item).length === 0);
  if (empty) throw fields.fail('prompt', 'is empty; this model needs at least one token to continue from');
  return list;
}
