// Requests to the endpoint that stands behind a recording proxy.
import type { IncomingHttpHeaders } from 'node:http';

/** Headers of clients that an endpoint reads. */
const PASSED_ON = /^(anthropic-|openai-|x-stainless-|accept$|user-agent$)/;

export interface UpstreamOptions {
  /** `https://HOST/v1`, with or without the version. */
  upstream: string;
  /** Null: the client's own key is passed on. */
  upstreamKey: string | null;
}

/** @param path `/v1/…`, or as Anthropic's clients have it `/messages` */
export function askUpstream(
  { upstream, upstreamKey }: UpstreamOptions,
  path: string,
  { headers, body, signal }: { headers: IncomingHttpHeaders; body?: unknown; signal: AbortSignal },
): Promise<Response> {
  const base = upstream.replace(/\/+$/, '').replace(/\/v1$/, '');
  const sent = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers))
    if (PASSED_ON.test(name) && value !== undefined) sent.set(name, String(value));
  const key = upstreamKey ?? keyOf(headers);
  if (key !== null) {
    sent.set('authorization', `Bearer ${key}`);
    if (path.includes('messages')) sent.set('x-api-key', key);
  }
  return fetch(`${base}${path.startsWith('/v1/') ? path : `/v1${path}`}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: sent,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  });
}

function keyOf({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | null {
  if (typeof key === 'string' && key !== '') return key;
  return /^bearer +(.*)$/i.exec(authorization ?? '')?.[1] ?? null;
}
