// The JSON body of a request, bounded in values as well as in bytes: parsing it takes the event loop in one go.
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BodyError, bodyText } from '../http/http-listener.js';
import { beginning, MOST_LEVELS, scan } from './json-nesting.js';
import { BadRequestError } from './request-fields.js';

const LONGEST_BODY = 8 * 2 ** 20;

/** Elements of arrays and fields of objects; the token ids of long prompts are the most that anybody needs. */
const MOST_VALUES = 250_000;

/** Objects, arrays and fields, which take longer than numbers: 100,000 different names take 0.1 s. */
const MOST_FIELDS = 25_000;

/** Characters looked at before others have their turn: a few milliseconds. */
const AT_ONCE = 2 ** 19;

/** @throws {BodyError} if it is too large or no JSON @throws {BadRequestError} if it is nested too deeply */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const text = await bodyText(request, LONGEST_BODY);
  await checkCounts(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new BodyError('not JSON', `the body is not JSON: ${(error as Error).message}`);
  }
}

async function checkCounts(text: string): Promise<void> {
  let state = beginning;
  while (state.at < text.length) {
    await nextTurn();
    state = scan(text, state, AT_ONCE);
    const { fields, commas, deepest } = state;
    if (fields + commas > MOST_VALUES) throw new BodyError('too large', `the body has more than ${MOST_VALUES} values`);
    if (fields > MOST_FIELDS)
      throw new BodyError('too large', `the body has more than ${MOST_FIELDS} objects, arrays and fields`);
    if (deepest > MOST_LEVELS) throw new BadRequestError(`the body has more than ${MOST_LEVELS} arrays and objects within each other`); // prettier-ignore
  }
  await nextTurn();
}
