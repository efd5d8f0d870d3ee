// Reports fields of newer clients that this server does not know.
import type { Exchange } from '../protocol.js';

/** Lists the fields in the answer's header `x-ignored-fields`. */
export function listIgnored({ response }: Pick<Exchange, 'response'>, names: readonly string[]): void {
  if (names.length > 0) response.setHeader('x-ignored-fields', names.map(encodeURI).join(', '));
}
