// Sends an agent's request to the endpoint whose answers the recording proxy returns and records.
import type { IncomingHttpHeaders } from 'node:http';
import { givenKeys } from '@bowyer/serving';
import { jsonAsWritten } from '@bowyer/text';
import type { Cassette } from '../replay/cassette.js';
import type { UpstreamAnswer } from '../upstream-answer.js';
import { UpstreamError } from './upstream-error.js';

/** Matches the names of those request headers of the agent that are also sent to the endpoint. */
const PASSED_ON = /^(anthropic-|openai-|x-stainless-|accept$|user-agent$)/;

export interface UpstreamOptions {
  /** The base URL of the endpoint, `https://HOST/v1`, with or without the version. */
  upstream: string;
  /** The API key for the endpoint; null: the client's own key is sent. */
  upstreamKey: string | null;
  /** Returns whether a key is that of this server or of a rollout, which must never be sent to the endpoint. */
  isOwnKey: (key: string) => boolean;
  /** Recorded answers that are returned instead of asking the endpoint. */
  cassette?: Cassette;
}

export interface UpstreamRequest {
  headers: IncomingHttpHeaders;
  body?: unknown;
  signal: AbortSignal;
  /** A second header in which the endpoint expects the key, such as `x-api-key`; absent if there is only `authorization`. */
  keyHeader?: string;
}

/**
 * Sends a request. @param path `/v1/…`, or `/messages`, which some clients of Anthropic's protocol send
 * @throws {UpstreamError} if the endpoint cannot be reached or does not answer in time
 */
export async function askUpstream(
  { upstream, upstreamKey, isOwnKey }: UpstreamOptions,
  path: string,
  { headers, body, signal, keyHeader }: UpstreamRequest,
): Promise<UpstreamAnswer> {
  const base = upstream.replace(/\/+$/, '').replace(/\/v1$/, '');
  const address = `${base}${path.startsWith('/v1/') ? path : `/v1${path}`}`;
  const method = body === undefined ? 'GET' : 'POST';
  const asked = `${method} ${address}`;
  const answer = await fetch(address, {
    method,
    headers: sentHeaders(headers, keyHeader, upstreamKey ?? givenKeys(headers).find((key) => !isOwnKey(key))),
    ...(body !== undefined && { body: jsonAsWritten(body) }),
    signal,
  }).catch((error: unknown) => {
    throw signal.aborted ? error : UpstreamError.unreachable(asked, error);
  });
  const text = () =>
    textOf(answer, asked).catch((error: unknown) => {
      throw signal.aborted || error instanceof UpstreamError ? error : UpstreamError.broken(asked, error);
    });
  return { asked, answer, text };
}

/** The largest size of an endpoint's answer in bytes; a longer one is an error. */
const MOST_BYTES = 2 ** 26;

async function textOf(answer: Response, asked: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > MOST_BYTES)
      throw UpstreamError.unreadable(asked, new Error(`it has more than ${MOST_BYTES / 2 ** 20} MiB`));
  }
  return Buffer.concat(pieces).toString('utf8');
}

function sentHeaders(headers: IncomingHttpHeaders, keyHeader: string | undefined, key: string | undefined): Headers {
  const sent = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers))
    if (PASSED_ON.test(name) && value !== undefined) sent.set(name, String(value));
  if (key !== undefined) {
    sent.set('authorization', `Bearer ${key}`);
    if (keyHeader !== undefined) sent.set(keyHeader, key);
  }
  return sent;
}
