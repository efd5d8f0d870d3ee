// Converts Node's HTTP requests to the web API's `Request`, which the MCP SDK reads, and the SDK's `Response` to Node's answers.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpListener } from '../http/http-listener.js';

const READ = /^(accept|content-type|last-event-id|mcp-.+)$/;

/** Converts a request without its body, which the listener reads itself with its limits. */
export function webRequest({ method, headers, url }: IncomingMessage): Request {
  const read = Object.entries(headers).filter(([name, value]) => READ.test(name) && typeof value === 'string');
  return new Request(new URL(url ?? '/', 'http://server'), { method, headers: read as [string, string][] });
}

/** Sends the SDK's response: an event stream event by event, any other response as a whole. */
export async function sendWebResponse(
  listener: HttpListener,
  [request, response]: readonly [IncomingMessage, ServerResponse],
  answer: Response,
): Promise<void> {
  const { connection: _, ...headers } = Object.fromEntries(answer.headers);
  if (answer.body === null || headers['content-type'] !== 'text/event-stream')
    return listener.send(request, response, { status: answer.status, text: await answer.text(), headers });
  response.writeHead(answer.status, headers);
  response.flushHeaders();
  await sendEvents(response, answer.body.getReader());
}

/** Sends a stream of events. It waits while the client reads slowly, and ends the stream if the client has disconnected. */
async function sendEvents(response: ServerResponse, events: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const leave = () => void events.cancel().catch(() => undefined);
  response.once('close', leave);
  for (;;) {
    const { done, value } = await events.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.off('close', leave);
  response.end();
}
