// The JSON body of a request, bounded in bytes and in values: reading it takes the event loop at once.
import type { IncomingMessage } from 'node:http';
import { BadRequestError } from './request-fields.js';

const LONGEST_BODY = 8 * 2 ** 20;

/** Elements of arrays and fields of objects; the token ids of long prompts are the most that anybody needs. */
const MOST_VALUES = 250_000;

const [QUOTE, COMMA, COLON, BACKSLASH, BRACKET, BRACE] = Buffer.from('",:\\[{');

/** @throws {BadRequestError} `too_large`, or no JSON */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  const counter = new ValueCounter();
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LONGEST_BODY || counter.count > MOST_VALUES) continue; // the rest is read too, or the client would never see the answer
    pieces.push(piece);
    counter.add(piece);
  }
  if (bytes > LONGEST_BODY)
    throw new BadRequestError(`the body has more than ${LONGEST_BODY} bytes`, null, 'too_large');
  if (counter.count > MOST_VALUES)
    throw new BadRequestError(`the body has more than ${MOST_VALUES} values`, null, 'too_large');
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown;
  } catch (error) {
    throw new BadRequestError(`the body is not JSON: ${(error as Error).message}`);
  }
}

/** Counts what separates and opens values outside strings: a bound of their number, before they are parsed. */
class ValueCounter {
  count = 0;
  #inString = false;
  #escaped = false;

  add(piece: Buffer): void {
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i];
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = !this.#inString;
      else if (!this.#inString && (byte === COMMA || byte === COLON || byte === BRACKET || byte === BRACE))
        this.count++;
    }
  }
}
