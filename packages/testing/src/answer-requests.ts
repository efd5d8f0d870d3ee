// Starts servers for tests, which answer each request as the test says, and sends requests.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { listenHere } from './listen-here.js';

/** A request whose body has arrived. */
export interface AnsweredRequest<Body> {
  /** The method and the path with its query: `POST /v1/models`. */
  route: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON of the body; undefined if it is empty. */
  json: Body;
  request: IncomingMessage;
  response: ServerResponse;
}

export interface AnsweringServer {
  /** The address without a slash at its end: `http://127.0.0.1:PORT`. */
  address: string;
  server: Server;
  close(): void;
}

/**
 * Starts a server on loopback.
 *
 * @param answer returns the JSON of an answer with status 200; undefined if it wrote the response itself, or there is none
 */
export async function answerRequests<Body = Record<string, unknown> | undefined>(
  answer: (request: AnsweredRequest<Body>) => unknown,
): Promise<AnsweringServer> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const { method, headers, url: path = '' } = request;
      const json = (text === '' ? undefined : JSON.parse(text)) as Body;
      const said = answer({ route: `${method} ${path}`, path, headers, text, json, request, response });
      if (said === undefined) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(said));
    });
  });
  const address = await listenHere(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address, server, close };
}

interface ChatBody {
  model: string;
  messages: { role: string; content: string }[];
}

/** Starts an endpoint of Chat Completions. @param reply returns the text of an answer */
export const answerChats = (
  reply: (body: ChatBody, headers: IncomingHttpHeaders) => string,
  usage?: object,
): Promise<AnsweringServer> =>
  answerRequests<ChatBody>(({ json, headers }) => {
    const message = { role: 'assistant', content: reply(json, headers) };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return { id: 'x', object: 'chat.completion', created: 0, model: json.model, choices, usage };
  });

/** An answer. Its body is the parsed JSON, or the text if it has another type. */
export interface ReceivedAnswer<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

/** Sends JSON, or a text as it is. @param json absent: the method is GET */
export async function sendJson<Body>(
  address: string | URL,
  json?: unknown,
  { method = json === undefined ? 'GET' : 'POST', headers = {} }: Pick<RequestInit, 'method' | 'headers'> = {},
): Promise<ReceivedAnswer<Body>> {
  const body = typeof json === 'string' ? json : JSON.stringify(json);
  const sent = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
  const answer = await fetch(address, { method, headers: sent, body });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return { status: answer.status, headers: answer.headers, text, body: (isJson ? JSON.parse(text) : text) as Body };
}
