// Reports to a client which fields of its request the server has ignored, because the client is newer and the server does not
// know them.
import type { Exchange } from '../protocol.js';

/** Lists the ignored fields in the header `x-ignored-fields` of the answer. */
export function listIgnored({ response }: Pick<Exchange, 'response'>, names: readonly string[]): void {
  if (names.length > 0) response.setHeader('x-ignored-fields', names.map(encodeURI).join(', '));
}
