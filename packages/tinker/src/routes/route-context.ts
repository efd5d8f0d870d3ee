// The common code of the Tinker API's routes: it reads bodies within limits, and answers with a future's id.
import type { Exchange, HttpAnswer, Route } from '@bowyer/serving';
import { RequestError } from '../request-error.js';
import type { TinkerService } from '../tinker-service.js';
import { checkedBody, type Body, type BodyName } from '../wire/bodies.js';
import { decompressed } from '../wire/compression.js';
import { hashOf, jsonBody } from '../wire/request-content.js';

export const PREFIX = '/api/v1';
export const PROTOBUF = 'application/x-protobuf';

export interface ReadBody {
  form: 'json' | 'protobuf';
  bytes: Uint8Array;
}

export async function readBody(service: TinkerService, { request, bytes }: Exchange): Promise<ReadBody> {
  const { bodyBytes } = service.options.quotas;
  const { 'content-encoding': encoding, 'content-type': type = '' } = request.headers;
  const content = await decompressed(await bytes(bodyBytes), encoding, bodyBytes);
  return { form: type.startsWith(PROTOBUF) ? 'protobuf' : 'json', bytes: content };
}

export async function jsonOf({ form, bytes }: ReadBody): Promise<unknown> {
  if (form === 'protobuf')
    throw new RequestError('the header Content-Type is application/x-protobuf; this route reads JSON');
  return jsonBody({ body: bytes });
}

/** Returns the properties of a request that are stored with its future. */
export async function keptOf(kind: string, exchange: Exchange, { form, bytes: body }: ReadBody) {
  return { kind, form, body, key: keyOf(exchange), hash: await hashOf(kind, body) };
}

export const ok = (json: object): HttpAnswer => ({ status: 200, json });

/** The most characters of an idempotency key. */
const LONGEST_KEY = 256;

export const keyOf = ({ request }: Exchange): string | null => {
  const key = request.headers['x-idempotency-key'];
  if (typeof key !== 'string' || key === '') return null;
  if (key.length > LONGEST_KEY)
    throw new RequestError(`the header X-Idempotency-Key has ${key.length} characters; it may have ${LONGEST_KEY}`);
  return key;
};

/** Makes a route whose result is returned immediately, without a future. */
export const direct = <Name extends BodyName>(
  service: TinkerService,
  path: string,
  name: Name,
  respond: (body: Body<Name>, exchange: Exchange, read: ReadBody) => object | Promise<object>,
): Route => ({
  method: 'POST',
  path: `${PREFIX}/${path}`,
  respond: async (exchange) => {
    const read = await readBody(service, exchange);
    return ok(await respond(checkedBody(name, await jsonOf(read)), exchange, read));
  },
});

export const plain = (
  method: Route['method'],
  path: string,
  respond: (exchange: Exchange) => object | Promise<object>,
): Route => ({ method, path: `${PREFIX}/${path}`, respond: async (exchange) => ok(await respond(exchange)) });
