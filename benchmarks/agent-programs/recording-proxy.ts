// A proxy between a program and the server that records each request: the route, the status, and the length of the prompt, from
// the answer's usage.
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Asked {
  /** The method and the path. */
  request: string;
  status: number;
  /** The number of prompt tokens; 0 if the answer reports no usage. */
  promptTokens: number;
  error: string;
}

interface RecordingProxy {
  origin: string;
  asked: readonly Asked[];
  close: () => Promise<void>;
}

export async function recorded(target: string): Promise<RecordingProxy> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => pass(target, request, response, asked));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { origin: `http://127.0.0.1:${port}`, asked, close };
}

function pass(target: string, request: IncomingMessage, response: ServerResponse, asked: Asked[]): void {
  const { method = '', url = '', headers } = request;
  const path = url.split('?')[0];
  const onward = send(new URL(url, target), { method, headers: { ...headers, 'accept-encoding': 'identity' } });
  onward.on('response', (answer) => {
    const status = answer.statusCode!;
    let text = '';
    answer.on('data', (chunk) => (text += String(chunk)));
    answer.on('end', () => {
      asked.push({
        request: `${method} ${path}`,
        status,
        promptTokens: promptTokens(text),
        error: status < 400 ? '' : text,
      });
    });
    response.writeHead(status, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}

/** Counts a prompt's tokens, including those that Anthropic's protocol reports as read from a cache. */
function promptTokens(answer: string): number {
  const counts = [...answer.matchAll(/"(?:input|prompt)_tokens":(\d+)/g)].map(([, count]) => Number(count));
  const cached = [...answer.matchAll(/"cache_read_input_tokens":(\d+)/g)].map(([, count]) => Number(count));
  return Math.max(0, counts.at(-1) ?? 0) + (cached.at(-1) ?? 0);
}
