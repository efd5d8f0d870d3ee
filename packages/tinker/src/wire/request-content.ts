// Parses and hashes request bodies in steps of milliseconds: for 32 MB of numbers, both take a second in total.
import { createHash } from 'node:crypto';
import { inTurns, parseJson, textOf } from '@bowyer/serving';
import type { Steps } from '@bowyer/text';

/** High, since the official client sends chunks of up to 5,000,000 bytes, which can have half as many numbers. */
const LIMITS = { values: 2_600_000, fields: 200_000, keepsNumbers: false };

/** Throws BodyError. */
export const jsonBody = async ({ body }: { body: Uint8Array }): Promise<unknown> =>
  parseJson(await textOf(body), LIMITS);

/** Returns the hash of a request's kind and body, by which the server recognises a repeated request. */
export const hashOf = (kind: string, body: Uint8Array): Promise<string> => inTurns(hashInSteps(kind, body));

/** The number of bytes that one step hashes, in about a millisecond. */
const HASHED_AT_ONCE = 2 ** 20;

function* hashInSteps(kind: string, body: Uint8Array): Steps<string> {
  const hash = createHash('sha256').update(`${kind}\n`);
  for (let at = 0; at < body.length; at += HASHED_AT_ONCE) {
    hash.update(body.subarray(at, at + HASHED_AT_ONCE));
    yield;
  }
  return hash.digest('base64');
}
