// Parses JSON that clients send, with limits on the number of values and on the depth in addition to that on bytes: each value
// takes memory and time, and deep nesting would overflow the stack of recursive code.
import type { IncomingMessage } from 'node:http';
import { parseJson as parseKeepingNumbers } from '@bowyer/text';
import { countsOf, MOST_LEVELS, type JsonCounts } from './json-nesting.js';
import { jsonInSteps } from './json-steps.js';
import { BodyError, readBody, type KeepBody } from './request-body.js';
import { inTurns, turn } from './turn.js';

interface JsonLimits {
  /** The most array elements and object fields of one text. */
  values: number;
  /** Objects, arrays and fields, which take longer than numbers: 100,000 different names take 0.1 s. */
  fields: number;
  /** Whether numbers keep the text with which the client wrote them, since chat templates print it. True if not given. */
  keepsNumbers?: boolean;
}

/** The limits of most requests. They are so high because of the token ids in long prompts. */
const usualLimits: JsonLimits = { values: 250_000, fields: 25_000 };

/** Texts with at most this many characters are parsed in one step. */
const SHORT = 2 ** 14;

/** @param longest the most bytes @throws {BodyError} if the body is too large or not JSON */
export const readJson = (request: IncomingMessage, longest: number, keep?: KeepBody): Promise<unknown> =>
  readBody(request, longest, (text) => parseJson(text), keep);

/** Parses a JSON text, in steps if it is long. @throws {BodyError} if it has too many values or is not JSON */
export async function parseJson(text: string, limits: JsonLimits = usualLimits): Promise<unknown> {
  const parse = limits.keepsNumbers === false ? (json: string): unknown => JSON.parse(json) : parseKeepingNumbers;
  const check = (counts: JsonCounts) => checkCounts(counts, limits);
  try {
    if (text.length > SHORT) {
      await turn();
      return await inTurns(jsonInSteps(text, check, parse));
    }
    check(countsOf(text));
    return parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BodyError('not JSON', `the body is not JSON: ${error.message}`);
  }
}

/** Throws BodyError if a count exceeds its limit. */
export function checkCounts(
  { fields, commas, tooDeep }: JsonCounts,
  { values, fields: mostFields }: JsonLimits = usualLimits,
): void {
  if (fields + commas > values) throw new BodyError('too large', `the body has more than ${values} values`);
  if (tooDeep)
    throw new BodyError('too deep', `the body has more than ${MOST_LEVELS} arrays and objects within each other`);
  if (fields > mostFields)
    throw new BodyError('too large', `the body has more than ${mostFields} objects, arrays and fields`);
}
