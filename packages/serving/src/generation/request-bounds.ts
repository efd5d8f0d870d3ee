// The most that a request may ask for: lengths in characters before anything is encoded, and in tokens afterwards.
// A request that does not fit into the context is reported in the words of OpenAI's API, which clients of all protocols look for.
import { maximum } from '@bowyer/core';
import { isTooDeep, MOST_LEVELS } from '../http/json-nesting.js';
import { BadRequestError } from './request-error.js';
import type { SteppedTokenizer } from './stepped-tokenizer.js';

export interface LengthBounds {
  contextLength: number;
  tokenizer: SteppedTokenizer;
  /** The value for a request that leaves it out. */
  defaults: { maxTokens: number };
}

/** Leaves the tokens of a prompt that a request wants at most. */
export interface PromptCut {
  (ids: number[]): number[];
  /** False: all are left. */
  readonly cuts: boolean;
}

export const noCut: PromptCut = Object.assign((ids: number[]) => ids, { cuts: false });

/** In characters. */
const LONGEST_ARGUMENTS = 2 ** 19;
const MOST_STOPS = 16;
/** In characters. */
const LONGEST_STOP = 1_024;

/** More are refused: no dialogue has as many, and some of the work for each is done in one go. */
const MOST_MESSAGES = 2_048;

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

export function checkMessageCount(count: number, param: string): void {
  if (count > MOST_MESSAGES)
    throw new BadRequestError(`'${param}' has ${count} ${param}; at most ${MOST_MESSAGES} are allowed`, param);
}

/** The arguments of all calls of a dialogue, before those that are texts are parsed: that takes the event loop in one go. */
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

/** One token more than fits is enough to know; of a prompt that is cut to its end, all must be known. */
export const inSteps = <Result>(
  encodeAll: () => Result,
  { tokenizer, contextLength }: LengthBounds,
  { cuts }: PromptCut,
  signal: AbortSignal,
): Promise<Result> => tokenizer.inSteps(encodeAll, { maxTokens: cuts ? Infinity : contextLength + 1, signal });

/**
 * The prompts and what is to follow must fit into the context; a default limit gives way to what room there is.
 *
 * @param asked null: the request names no limit
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

/** @param name of the field */
export function checkedStops(texts: readonly string[], name: string): string[] {
  const stops = texts.filter((stop) => stop !== '');
  const fail = (problem: string) => new BadRequestError(`'${name}' ${problem}`, name);
  if (stops.length > MOST_STOPS) throw fail(`has ${stops.length} strings; at most ${MOST_STOPS} are allowed`);
  const long = stops.find((stop) => stop.length > LONGEST_STOP);
  if (long !== undefined) throw fail(`has a string of ${long.length} characters; at most ${LONGEST_STOP} are allowed`);
  return stops;
}
