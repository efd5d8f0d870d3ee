// Limits the size of a request: its characters before any text is encoded, and its tokens afterwards. The error for a prompt that
// exceeds the context has the wording of OpenAI's API, which clients of all protocols recognize.
import { maximum } from '@bowyer/core';
import { isTooDeep, MOST_LEVELS } from '../http/json-nesting.js';
import { BadRequestError } from './request-error.js';
import type { SteppedTokenizer } from './stepped-tokenizer.js';

export interface LengthBounds {
  contextLength: number;
  tokenizer: SteppedTokenizer;
  /** The token limit of answers for requests without one. */
  defaults: { maxTokens: number };
}

/** Truncates a prompt to its last tokens, where the request limits their number. */
export interface PromptCut {
  (ids: number[]): number[];
  /** Whether the function can remove tokens; false if it returns all of them. */
  readonly cuts: boolean;
}

export const noCut: PromptCut = Object.assign((ids: number[]) => ids, { cuts: false });

/** The most characters of the arguments of one tool call, and of all calls of a dialogue together. */
const LONGEST_ARGUMENTS = 2 ** 19;
const MOST_STOPS = 16;
/** The most characters of a stop string. */
const LONGEST_STOP = 1_024;

/** The most messages of a dialogue. The limit is needed since some of the work for each message cannot be interrupted. */
const MOST_MESSAGES = 2_048;

/**
 * An upper estimate of the mean number of characters per token: English text has 4 to 5, deeply indented code 8. A text with more
 * characters than this number times the context length is refused without being encoded.
 */
const MOST_PER_TOKEN = 16;

/** A text with at most this many characters is encoded even if the context is so short that it seems not to fit. */
const SHORT = 2 ** 15;

/** The most characters that are encoded for a prompt truncated to its last tokens, or with tokens that can be whole texts. */
const LONGEST_CUT = 2 ** 20;

/** With a longer token, in characters, a tokenizer has whole texts as tokens, such as a small initial model's instructions. */
const LONG_TOKEN = 1_024;

/** Refuses a text with too many characters for the context before it is encoded, even if the normalizer would shorten it. */
export function checkCharacters(
  count: number,
  { contextLength, tokenizer }: LengthBounds,
  param: string,
  { cuts }: PromptCut,
): void {
  const { longestToken } = tokenizer;
  const perToken = longestToken > LONG_TOKEN ? longestToken : Math.min(longestToken, MOST_PER_TOKEN);
  const most =
    perToken > MOST_PER_TOKEN
      ? Math.min(contextLength * perToken, LONGEST_CUT)
      : Math.max(contextLength * perToken, Math.min(SHORT, contextLength * longestToken));
  if (count <= (cuts ? Math.max(most, LONGEST_CUT) : most)) return;
  const have = param.endsWith('s') ? 'have' : 'has';
  const why =
    most < contextLength * perToken
      ? `; at most ${most} are read`
      : `, which are more tokens even at ${perToken} characters each`;
  throw tooLong(contextLength, `your ${param} ${have} ${count} characters${why}`, param);
}

const tooLong = (contextLength: number, what: string, param: string, reduced = param): BadRequestError =>
  new BadRequestError(
    `This model's maximum context length is ${contextLength} tokens. However, ${what}. ` +
      `Please reduce the length of the ${reduced}.`,
    param,
    'context_length_exceeded',
  );

export function checkMessageCount(count: number, param: string): void {
  if (count > MOST_MESSAGES)
    throw new BadRequestError(`'${param}' has ${count} ${param}; at most ${MOST_MESSAGES} are allowed`, param);
}

/** Limits the arguments of a dialogue's tool calls before they are parsed as JSON, which cannot be interrupted. */
export function checkArguments(given: readonly unknown[], param: string): void {
  const texts = given.filter((each) => typeof each === 'string');
  const count = texts.reduce((sum, { length }) => sum + length, 0);
  if (count > LONGEST_ARGUMENTS)
    throw new BadRequestError(
      `the tool calls have arguments of ${count} characters in all; at most ${LONGEST_ARGUMENTS} are allowed`,
      param,
    );
  if (texts.some(isTooDeep))
    throw new BadRequestError(
      `the arguments of a tool call have more than ${MOST_LEVELS} arrays and objects within each other`,
      param,
    );
}

export function checkTokens(count: number, { contextLength }: LengthBounds, param: string): void {
  if (count > contextLength) throw tooLong(contextLength, `your ${param} resulted in ${count} tokens`, param);
}

/** Encodes in steps, up to one token beyond the context length, unless the prompt is truncated, which needs all tokens. */
export const inSteps = <Result>(
  encodeAll: () => Result,
  { tokenizer, contextLength }: LengthBounds,
  { cuts }: PromptCut,
  signal: AbortSignal,
): Promise<Result> => tokenizer.inSteps(encodeAll, { maxTokens: cuts ? Infinity : contextLength + 1, signal });

/**
 * Prompt and answer must fit into the context together; the server's default is reduced to the space beside the prompt.
 *
 * @param asked the request's limit; null without one
 */
export function tokenLimit(
  asked: number | null,
  ofPrompt: string,
  prompts: readonly { ids: readonly number[] }[],
  { contextLength, defaults }: LengthBounds,
): number {
  const longest = maximum(prompts.map(({ ids }) => ids.length));
  const room = contextLength - longest;
  const limit = asked ?? Math.min(defaults.maxTokens, Math.max(1, room));
  if (limit <= room) return limit;
  const what = `you requested ${longest + limit} tokens (${longest} in the ${ofPrompt}, ${limit} in the completion)`;
  throw tooLong(contextLength, what, ofPrompt, `${ofPrompt} or completion`);
}

/** Returns the stop strings of a request without the empty ones. @param name of the request's field */
export function checkedStops(texts: readonly string[], name: string): string[] {
  const stops = texts.filter((stop) => stop !== '');
  const fail = (problem: string) => new BadRequestError(`'${name}' ${problem}`, name);
  if (stops.length > MOST_STOPS) throw fail(`has ${stops.length} strings; at most ${MOST_STOPS} are allowed`);
  const long = stops.find((stop) => stop.length > LONGEST_STOP);
  if (long !== undefined) throw fail(`has a string of ${long.length} characters; at most ${LONGEST_STOP} are allowed`);
  return stops;
}
