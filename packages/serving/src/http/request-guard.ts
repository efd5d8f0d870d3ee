// Refuses requests that a web page of another site can make a browser send to a server on this machine. A page of another site
// sends its Origin; a page whose name was rebound to this machine's address (DNS rebinding) sends its name as Host; a form or a
// simple request of another site cannot send JSON's content type. Programs such as `curl -d` send JSON with a form's content type
// or none, which is accepted unless a header shows a browser (docs/decisions/requests.md). Source: the Fetch standard, sections
// 3.1 (Origin) and 4.1 (CORS-safelisted content types).
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@bowyer/core';
import { excerpt } from './excerpt.js';
import { isOfBytes } from './request-body.js';

export interface Refusal {
  status: 403 | 415 | 421 | 500;
  message: string;
}

/**
 * @param host the address that the server listens on
 * @returns the reason for refusing the request, as a page of another site may have sent it; null if it may be answered
 */
export function refusalOf({ headers, method }: IncomingMessage, host: string): Refusal | null {
  if (isLoopback(host) && !isLoopback(nameOf(headers.host ?? '')))
    return {
      status: 421,
      message: `this server answers requests to this machine only; the header Host is '${excerpt(headers.host ?? '')}'`,
    };
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`)
    return { status: 403, message: `requests of web pages are refused; the header Origin is '${excerpt(origin)}'` };
  if (method === 'POST' && hasBody(headers) && !isOfNoForm(headers['content-type']) && !isUntypedOfProgram(headers))
    return {
      status: 415,
      message: `the header Content-Type is '${excerpt(headers['content-type'] ?? '')}'; it must be application/json`,
    };
  return null;
}

/** Returns the host name in the value of a `Host` header, without the port. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase();

const hasBody = (headers: IncomingMessage['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The headers that a browser, and no other program, adds to a page's requests. */
const OF_BROWSERS = /^(origin|referer|cookie|sec-)/;

const isUntypedOfProgram = (headers: IncomingMessage['headers']): boolean =>
  /^(application\/x-www-form-urlencoded\s*(;|$)|$)/i.test(headers['content-type'] ?? '') &&
  !Object.keys(headers).some((name) => OF_BROWSERS.test(name));

/** JSON or protobuf: HTML forms cannot send these, and pages of other sites only after a preflight request. */
const isOfNoForm = (contentType = ''): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType) || isOfBytes(contentType);
