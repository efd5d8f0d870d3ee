// Checks the API key of clients, sent as a bearer token or as `x-api-key`.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * Checks the key of a request.
 *
 * @param isRight returns whether a key is accepted; it is called with '' for a request without a key
 * @returns the problem; null for authorized clients
 */
export function keyProblem({ headers }: IncomingMessage, isRight: (given: string) => boolean): string | null {
  const { authorization, 'x-api-key': key } = headers;
  if ([bearerKey(authorization), String(key ?? '')].some(isRight)) return null;
  const problem =
    authorization === undefined && key === undefined ? 'You did not provide an API key' : 'Incorrect API key provided';
  return `${problem}; this server requires one as 'Authorization: Bearer KEY' or as 'x-api-key: KEY'`;
}

/** Compares two texts in constant time. */
export function sameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

/** Reads the keys that a request brings: its `x-api-key`, then its bearer token. */
export function givenKeys({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string[] {
  return [String(key ?? ''), bearerKey(authorization)].filter((given) => given !== '');
}

/** Returns the key of `Bearer KEY`, with the scheme in any case (RFC 9110, section 11.1); '' without one. */
const bearerKey = (authorization = ''): string => /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';
