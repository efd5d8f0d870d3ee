// JSON of clients, bounded in values and depth as well as in bytes: parsing it takes the event loop in one go, and what is nested deeply
// overflows the stack of whoever walks through it.
import type { IncomingMessage } from 'node:http';
import { beginning, MOST_LEVELS, scan } from './json-nesting.js';
import { BodyError, readBody } from './request-body.js';
import { turn } from './turn.js';

export interface JsonLimits {
  /** Elements of arrays and fields of objects. */
  values: number;
  /** Objects, arrays and fields, which take longer than numbers: 100,000 different names take 0.1 s. */
  fields: number;
}

/** The token ids of long prompts are the most that anybody needs. */
const usualLimits: JsonLimits = { values: 250_000, fields: 25_000 };

/** Characters looked at before others have their turn: a few milliseconds. */
const AT_ONCE = 2 ** 19;

/** Texts up to this many characters wait for no turn. */
const SHORT = 2 ** 14;

/**
 * @param longest in bytes
 * @throws {BodyError} if it is too large or no JSON
 */
export const readJson = (request: IncomingMessage, longest: number): Promise<unknown> =>
  readBody(request, longest, parseJson);

/** @throws {BodyError} if it has too many values or is not JSON */
export async function parseJson(text: string, limits: JsonLimits = usualLimits): Promise<unknown> {
  await checkCounts(text, limits);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new BodyError('not JSON', `the body is not JSON: ${(error as Error).message}`);
  }
}

async function checkCounts(text: string, { values, fields: mostFields }: JsonLimits): Promise<void> {
  let state = beginning;
  while (state.at < text.length) {
    if (text.length > SHORT) await turn();
    state = scan(text, state, AT_ONCE);
    const { fields, commas, deepest } = state;
    if (fields + commas > values) throw new BodyError('too large', `the body has more than ${values} values`);
    if (deepest > MOST_LEVELS)
      throw new BodyError('too deep', `the body has more than ${MOST_LEVELS} arrays and objects within each other`);
    if (fields > mostFields)
      throw new BodyError('too large', `the body has more than ${mostFields} objects, arrays and fields`);
  }
  if (text.length > SHORT) await turn();
}
