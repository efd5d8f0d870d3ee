// The most that a request may ask for: lengths in characters before anything is encoded, and in tokens afterwards.
// A request that does not fit into the context is reported in the words of OpenAI's API, which clients look for.
import { maximum } from '@bowyer/core';
import type { CompletionRequest } from '../../generation/completion-request.js';
import { callsOf, functionOf } from './read-messages.js';
import { BadRequestError, type RequestFields } from './request-fields.js';
import type { SteppedTokenizer } from '../../generation/stepped-tokenizer.js';

export interface LengthBounds {
  contextLength: number;
  tokenizer: SteppedTokenizer;
  /** The value for a request that leaves it out. */
  defaults: { maxTokens: number };
}

/** The names of the field with an answer's limit, the field with the prompt, and the least limit. */
export interface LimitNames {
  names: readonly string[];
  ofPrompt: string;
  least: number;
}

/** Leaves the tokens of a prompt that a request wants at most. */
export interface PromptCut {
  (ids: number[]): number[];
  /** False: all are left. */
  readonly cuts: boolean;
}

/** In characters. */
const LONGEST_ARGUMENTS = 2 ** 19;
const MOST_STOPS = 16;
/** In characters. */
const LONGEST_STOP = 1_024;

/** Characters of a token on average; English has 4 to 5, deeply indented code 8. Work before the first step takes this long. */
const MOST_PER_TOKEN = 16;

/** The longest text that is encoded for any length of context. */
const SHORT = 2 ** 15;

/** The same of one that is cut to what is wanted of it. */
const LONGEST_CUT = 2 ** 20;

/** A text that cannot fit is refused before it is encoded; a text that a normalizer would shorten is refused all the same. */
export function checkCharacters(
  count: number,
  { contextLength, tokenizer }: LengthBounds,
  param: string,
  { cuts }: PromptCut,
): void {
  const perToken = Math.min(tokenizer.longestToken, MOST_PER_TOKEN);
  const most = Math.max(contextLength * perToken, Math.min(SHORT, contextLength * tokenizer.longestToken));
  if (count <= (cuts ? Math.max(most, LONGEST_CUT) : most)) return;
  const have = param.endsWith('s') ? 'have' : 'has';
  const what = `your ${param} ${have} ${count} characters, which are more tokens even at ${perToken} characters each`;
  throw tooLong(contextLength, what, param);
}

const tooLong = (contextLength: number, what: string, param: string, reduced = param): BadRequestError =>
  new BadRequestError(
    `This model's maximum context length is ${contextLength} tokens. However, ${what}. ` +
      `Please reduce the length of the ${reduced}.`,
    param,
    'context_length_exceeded',
  );

/** The arguments of all calls in a chat's messages, before they are parsed: that takes the event loop in one go. */
export function checkArguments(messages: readonly RequestFields[]): void {
  const texts = messages.flatMap(callsOf).map((call) => functionOf(call).value('arguments'));
  const count = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  if (count > LONGEST_ARGUMENTS)
    throw new BadRequestError(
      `the tool calls have arguments of ${count} characters in all; at most ${LONGEST_ARGUMENTS} are allowed`,
      'messages',
    );
}

export function checkTokens(count: number, { contextLength }: LengthBounds, param: string): void {
  if (count > contextLength) throw tooLong(contextLength, `your ${param} resulted in ${count} tokens`, param);
}

/** One token more than fits is enough to know; of a prompt that is cut to its end, all must be known. */
export const inSteps = <Result>(
  encodeAll: () => Result,
  { tokenizer, contextLength }: LengthBounds,
  { cuts }: PromptCut,
  signal: AbortSignal,
): Promise<Result> => tokenizer.inSteps(encodeAll, { maxTokens: cuts ? Infinity : contextLength + 1, signal });

/** `truncate_prompt_tokens` as in vLLM: the number of last tokens to keep; −1: as many as leave room for the answer. */
export function promptCut(fields: RequestFields, limit: LimitNames, bounds: LengthBounds): PromptCut {
  const { contextLength } = bounds;
  const given = fields.number('truncate_prompt_tokens', null, { min: -1, max: contextLength, whole: true });
  const side = fields.choice('truncation_side', ['left', 'right'], 'left');
  if (given === 0) throw fields.fail('truncate_prompt_tokens', 'must be at least 1, or -1 for as many as fit');
  if (given === null && fields.value('truncation_side') !== undefined)
    throw fields.fail('truncation_side', 'needs truncate_prompt_tokens');
  if (given === null) return Object.assign((ids: number[]) => ids, { cuts: false });
  const count = given > 0 ? given : Math.max(1, contextLength - askedTokens(fields, limit, bounds));
  const cut = (ids: number[]) =>
    ids.length <= count ? ids : side === 'left' ? ids.slice(-count) : ids.slice(0, count);
  return Object.assign(cut, { cuts: true });
}

function askedTokens(fields: RequestFields, { names, least }: LimitNames, { defaults }: LengthBounds): number {
  const name = names.find((each) => fields.value(each) !== undefined) ?? names[0];
  return fields.number(name, defaults.maxTokens, { min: least, max: Number.MAX_SAFE_INTEGER, whole: true });
}

/** The prompts and what is to follow must fit into the context; a default limit gives way to what room there is. */
export function tokenLimit(
  fields: RequestFields,
  limit: LimitNames,
  prompts: readonly { ids: readonly number[] }[],
  bounds: LengthBounds,
): number {
  const { contextLength } = bounds;
  const longest = maximum(prompts.map(({ ids }) => ids.length));
  const room = contextLength - longest;
  const isGiven = limit.names.some((each) => fields.value(each) !== undefined);
  const most = askedTokens(fields, limit, bounds);
  const asked = isGiven ? most : Math.min(most, Math.max(1, room));
  if (asked <= room) return asked;
  const { ofPrompt } = limit;
  const what = `you requested ${longest + asked} tokens (${longest} in the ${ofPrompt}, ${asked} in the completion)`;
  throw tooLong(contextLength, what, ofPrompt, `${ofPrompt} or completion`);
}

/** @throws {BadRequestError} where an answer could not end by its own limits */
export function checkAnswerLimits(
  fields: RequestFields,
  { minTokens }: Pick<CompletionRequest, 'minTokens'>,
  maxTokens: number,
): void {
  if (minTokens > maxTokens && fields.value('min_tokens') !== undefined)
    throw fields.fail('min_tokens', `is ${minTokens}, and the answer has at most ${maxTokens} tokens`);
}

export function stopsOf(fields: RequestFields): string[] {
  const stops = fields.texts('stop').filter((stop) => stop !== '');
  if (stops.length > MOST_STOPS)
    throw fields.fail('stop', `has ${stops.length} strings; at most ${MOST_STOPS} are allowed`);
  const long = stops.find((stop) => stop.length > LONGEST_STOP);
  if (long !== undefined)
    throw fields.fail('stop', `has a string of ${long.length} characters; at most ${LONGEST_STOP} are allowed`);
  return stops;
}
