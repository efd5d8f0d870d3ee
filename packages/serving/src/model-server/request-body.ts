// The JSON body of a request, bounded in values as well as in bytes: parsing it takes the event loop in one go.
import type { IncomingMessage } from 'node:http';
import { BodyError, bodyText } from '../http/http-listener.js';

const LONGEST_BODY = 8 * 2 ** 20;

/** Elements of arrays and fields of objects; the token ids of long prompts are the most that anybody needs. */
const MOST_VALUES = 250_000;

const [QUOTE, BACKSLASH, ...SEPARATORS] = Buffer.from('"\\,:[{');

/** @throws {BodyError} if it is too large or no JSON */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const text = await bodyText(request, LONGEST_BODY);
  if (!hasAtMostValues(text, MOST_VALUES))
    throw new BodyError('too large', `the body has more than ${MOST_VALUES} values`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new BodyError('not JSON', `the body is not JSON: ${(error as Error).message}`);
  }
}

/** Counts what opens and separates values outside strings. */
function hasAtMostValues(text: string, most: number): boolean {
  let count = 0;
  let inString = false;
  for (let i = 0; i < text.length && count <= most; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) inString = !inString;
    else if (!inString && SEPARATORS.includes(code)) count++;
  }
  return count <= most;
}
