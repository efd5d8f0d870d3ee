// What a request may ask for at most: lengths in characters before anything is encoded, and in tokens afterwards.
import { maximum } from '@bowyer/core';
import { BadRequestError, type RequestFields } from './request-fields.js';

export interface LengthBounds {
  contextLength: number;
  tokenizer: { longestToken: number };
  /** What a request that leaves it out gets. */
  defaults: { maxTokens: number };
}

/** In characters. */
const LONGEST_ARGUMENTS = 2 ** 19;
const MOST_STOPS = 16;
/** In characters. */
const LONGEST_STOP = 1_024;

/** No token has more characters than the longest one; a text that a normalizer would shorten is refused all the same. */
export function checkCharacters(count: number, { contextLength, tokenizer }: LengthBounds, param: string): void {
  const most = contextLength * tokenizer.longestToken;
  if (count <= most) return;
  throw new BadRequestError(
    `This model's maximum context length is ${contextLength} tokens, of at most ${tokenizer.longestToken} characters each; ` +
      `the ${param} has ${count} characters. Shorten the ${param}.`,
    param,
    'context_length_exceeded',
  );
}

/** The arguments of all calls in a chat's messages, before they are parsed: that takes the event loop in one go. */
export function checkArguments(messages: readonly RequestFields[]): void {
  const calls = messages.flatMap((fields) =>
    fields.value('tool_calls') === undefined ? [] : fields.objects('tool_calls'),
  );
  const texts = calls.map((call) => call.object('function').value('arguments'));
  const count = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  if (count > LONGEST_ARGUMENTS)
    throw new BadRequestError(
      `the tool calls have arguments of ${count} characters in all; at most ${LONGEST_ARGUMENTS} are allowed`,
      'messages',
    );
}

export function checkTokens(count: number, { contextLength }: LengthBounds, param: string): void {
  if (count <= contextLength) return;
  throw new BadRequestError(
    `This model's maximum context length is ${contextLength} tokens; the ${param} has ${count}. Shorten the ${param}.`,
    param,
    'context_length_exceeded',
  );
}

/** The prompts and what is to follow must fit into the context; a default limit gives way to what room there is. */
export function tokenLimit(
  fields: RequestFields,
  { names, ofPrompt, least }: { names: readonly string[]; ofPrompt: string; least: number },
  prompts: readonly { ids: readonly number[] }[],
  { contextLength, defaults: { maxTokens: otherwise } }: LengthBounds,
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

export function stopsOf(fields: RequestFields): string[] {
  const stops = fields.texts('stop').filter((stop) => stop !== '');
  if (stops.length > MOST_STOPS)
    throw fields.fail('stop', `has ${stops.length} strings; at most ${MOST_STOPS} are allowed`);
  const long = stops.find((stop) => stop.length > LONGEST_STOP);
  if (long !== undefined) throw fields.fail('stop', `has a string of ${long.length} characters; at most ${LONGEST_STOP} are allowed`); // prettier-ignore
  return stops;
}
