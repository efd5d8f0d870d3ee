// JSON of clients, bounded in values and depth as well as in bytes: each value takes memory and time, and what is nested deeply overflows
// the stack of whoever walks through it.
import type { IncomingMessage } from 'node:http';
import { parseJson as parseKeepingNumbers } from '@bowyer/text';
import { countsOf, MOST_LEVELS, type JsonCounts } from './json-nesting.js';
import { jsonInSteps } from './json-steps.js';
import { BodyError, readBody, type KeepBody } from './request-body.js';
import { inTurns, turn } from './turn.js';

interface JsonLimits {
  /** Elements of arrays and fields of objects. */
  values: number;
  /** Objects, arrays and fields, which take longer than numbers: 100,000 different names take 0.1 s. */
  fields: number;
  /** Numbers print in templates as they were written. True if not given. */
  keepsNumbers?: boolean;
}

/** The token ids of long prompts are the most that anybody needs. */
const usualLimits: JsonLimits = { values: 250_000, fields: 25_000 };

/** Texts up to this many characters wait for no turn. */
const SHORT = 2 ** 14;

/**
 * @param longest in bytes
 * @throws {BodyError} if it is too large or no JSON
 */
export const readJson = (request: IncomingMessage, longest: number, keep?: KeepBody): Promise<unknown> =>
  readBody(request, longest, (text) => parseJson(text), keep);

/** @throws {BodyError} if it has too many values or is not JSON */
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

/** @throws {BodyError} where a text of JSON has more than a body may have */
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
