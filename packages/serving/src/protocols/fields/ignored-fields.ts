// Reports to a client which fields the server has ignored, since the client is newer and the server does not know them.
import type { Exchange } from '../protocol.js';

export function listIgnored({ response }: Pick<Exchange, 'response'>, names: readonly string[]): void {
  if (names.length > 0) response.setHeader('x-ignored-fields', names.map(encodeURI).join(', '));
}
