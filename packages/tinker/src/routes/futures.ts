// Defines the Tinker API's route for the results of futures, in protobuf or JSON by the header `Accept`.
import { inTurns, type Exchange, type HttpAnswer, type Route } from '@bowyer/serving';
import type { TinkerService } from '../tinker-service.js';
import { checkedBody } from '../wire/bodies.js';
import { lossText, sampleText } from '../wire/results.js';
import { jsonOf, ok, PREFIX, PROTOBUF, readBody } from './route-context.js';

/** The milliseconds for which a request for a result waits (long polling); the official client would wait for 45 seconds. */
const POLL_MS = 30_000;

export const futureRoutes = (service: TinkerService, pollMs = POLL_MS): Route[] => [
  {
    method: 'POST',
    path: `${PREFIX}/retrieve_future`,
    respond: async (exchange) => {
      const { request_id: id } = checkedBody('retrieveFuture', await jsonOf(await readBody(service, exchange)));
      const result = await service.futures.result(id, pollMs, exchange.signal);
      if (result === null) return ok({ type: 'try_again', request_id: id, queue_state: 'active' });
      if (result.form === 'json') return ok(result.json);
      if (result.form === 'failure') return ok(result.failure);
      if (acceptsProtobuf(exchange)) return protobuf(result.bytes);
      const text = await inTurns(result.form === 'loss' ? lossText(result.bytes) : sampleText(result.bytes));
      return { status: 200, bytes: Buffer.from(text), headers: { 'content-type': 'application/json' } };
    },
  },
];

const acceptsProtobuf = ({ request }: Exchange): boolean => (request.headers.accept ?? '').includes(PROTOBUF);

const protobuf = (bytes: Uint8Array): HttpAnswer => ({ status: 200, bytes, headers: { 'content-type': PROTOBUF } });
