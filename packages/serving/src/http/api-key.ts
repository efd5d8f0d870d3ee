// Checks the API key that a client sends, as a bearer token or as `x-api-key`.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * @param isRight whether a key is accepted; called with '' for a request without a key
 * @returns the problem as a text; null for an accepted key
 */
export function keyProblem({ headers }: IncomingMessage, isRight: (given: string) => boolean): string | null {
  const { authorization, 'x-api-key': key } = headers;
  if ([bearerKey(authorization), String(key ?? '')].some(isRight)) return null;
  const problem =
    authorization === undefined && key === undefined ? 'You did not provide an API key' : 'Incorrect API key provided';
  return `${problem}; this server requires one as 'Authorization: Bearer KEY' or as 'x-api-key: KEY'`;
}

/** Compares two texts in constant time, so that the time does not reveal how much of a key is right. */
export function sameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

/** Returns the keys in a request's headers: that of `x-api-key`, then the bearer token. */
export function givenKeys({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string[] {
  return [String(key ?? ''), bearerKey(authorization)].filter((given) => given !== '');
}

/** Returns '' if there is none. The scheme `Bearer` may be in any case (RFC 9110, section 11.1). */
const bearerKey = (authorization = ''): string => /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';
