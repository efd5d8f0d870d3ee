// Fields that a newer client has sent, and that this server does not know.
import type { Exchange } from '../protocol.js';

/** The answer's header `x-ignored-fields` lists them. */
export function listIgnored({ response }: Pick<Exchange, 'response'>, names: readonly string[]): void {
  if (names.length > 0) response.setHeader('x-ignored-fields', names.map(encodeURI).join(', '));
}
