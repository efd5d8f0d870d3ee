// Serves MCP over Streamable HTTP: the SDK's server handles each session, and this package's listener limits memory and time. A
// session begins when a client sends `initialize`; requests of the stateless protocol of 2026-07-28 go to a separate handler.
// Source: the Model Context Protocol of 2025-11-25, section Transports.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, isLegacyRequest, type McpHttpHandler, type McpServer } from '@modelcontextprotocol/server';
import { keyProblem, sameText } from '../http/api-key.js';
import { HttpListener, pathOf, type HttpAnswer } from '../http/http-listener.js';
import { readJson } from '../http/json-text.js';
import { BodyError } from '../http/request-body.js';
import { SessionTable, type Session, type SessionTableOptions } from './session-table.js';
import { sendWebResponse, webRequest } from './web-exchange.js';

export interface McpListenerOptions extends SessionTableOptions {
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  /** The key that clients must send as a bearer token or as `x-api-key`; null for none. */
  apiKey: string | null;
  /** Returns whether so many sessions are open that no further one may begin. */
  isFull: () => boolean;
  /** Makes a server for one request of the stateless protocol; absent to refuse these requests. */
  stateless?: () => McpServer;
}

const LONGEST_BODY = 2 ** 20;
const PATH = '/mcp';

/** The error codes of JSON-RPC that the listener sends itself, and the first code of those that servers may define. */
const codes = {
  parse: -32_700,
  invalid: -32_600,
  internal: -32_603,
  refused: -32_000,
  unknownSession: -32_001,
} as const;

type Exchange = readonly [IncomingMessage, ServerResponse];

export class McpListener {
  readonly #sessions: SessionTable;
  readonly #answering = new Set<Promise<unknown>>();
  readonly #stateless: McpHttpHandler | null;
  #listener!: HttpListener;

  private constructor(private readonly options: McpListenerOptions) {
    this.#sessions = new SessionTable(options);
    const { stateless } = options;
    this.#stateless = stateless ? createMcpHandler(stateless, { legacy: 'reject' }) : null;
  }

  static async listen(options: McpListenerOptions): Promise<McpListener> {
    const server = new McpListener(options);
    const { host, port, onFault } = options;
    try {
      server.#listener = await HttpListener.listen({
        host,
        port,
        respond: (request, response) => server.#respond([request, response]),
        refuse: ({ status, message }) => ({ status, json: rpcError(codes.refused, message) }),
        onFault,
      });
    } catch (error) {
      await server.#sessions.closeAll();
      throw error;
    }
    return server;
  }

  get url(): string {
    return `${this.#listener.origin}${PATH}`;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Stops the listener: it accepts no further request, answers the received ones, and closes every session. */
  async close(): Promise<void> {
    const closing = this.#listener.close();
    await Promise.all(this.#answering);
    await this.#sessions.closeAll();
    await this.#stateless?.close();
    await closing;
  }

  async #respond(exchange: Exchange): Promise<void> {
    const [request, response] = exchange;
    try {
      const answer = this.#refusal(request) ?? (await this.#answer(exchange));
      if (answer !== null) await this.#listener.sendInSteps(request, response, answer);
    } catch (error) {
      if (response.destroyed || response.headersSent) return void response.destroy();
      this.#listener.send(request, response, this.#failure(error));
    }
  }

  #refusal(request: IncomingMessage): HttpAnswer | null {
    const { apiKey } = this.options;
    const { path } = pathOf(request);
    if (path === '/health') return { status: 200, json: { status: 'ok', sessions: this.sessions } };
    if (path !== PATH) return refused(404, `There is nothing at this address; MCP is served at ${PATH}`);
    const problem = apiKey === null ? null : keyProblem(request, (given) => sameText(given, apiKey));
    return problem === null ? null : { ...refused(401, problem), headers: { 'www-authenticate': 'Bearer' } };
  }

  /** Returns null where the answer was already sent. */
  async #answer(exchange: Exchange): Promise<HttpAnswer | null> {
    const [request] = exchange;
    const body = request.method === 'POST' ? await readJson(request, LONGEST_BODY) : undefined;
    // This check comes first: a request of the protocol of 2026-07-28 has no session, whatever its method and header are.
    if (body !== undefined && this.#stateless !== null && !(await isLegacyRequest(webRequest(request), body)))
      return this.#withoutSession(this.#stateless, exchange, body);
    const known = this.#sessions.find(request);
    if (known !== undefined) return this.#inSession(known, exchange, body);
    if (request.headers['mcp-session-id'] !== undefined)
      return refused(404, 'Session not found; it may have been idle. Send initialize again', codes.unknownSession);
    if (isInitialize(body)) return this.#opened(exchange, body);
    return refused(400, 'No session: send initialize first, and the Mcp-Session-Id that it answers with each request');
  }

  async #opened(exchange: Exchange, body: unknown): Promise<HttpAnswer | null> {
    if (!this.#listener.isListening) return unavailable('The server stops');
    if (this.options.isFull()) return unavailable('All places of the server are in use (task.max_instances)');
    const session = await this.#sessions.open();
    try {
      return await this.#inSession(session, exchange, body);
    } finally {
      await this.#sessions.settle(session);
    }
  }

  /** A request of a session counts as work in progress, except the one for the stream of messages, which stays open. */
  async #inSession(session: Session, exchange: Exchange, body: unknown): Promise<null> {
    const [request] = exchange;
    const work = async () => {
      const answer = await session.transport.handleRequest(webRequest(request), { parsedBody: body });
      await sendWebResponse(this.#listener, exchange, answer);
    };
    if (request.method === 'GET') await work();
    else await this.#sessions.during(session, () => this.#counted(work));
    return null;
  }

  /** An answer that is a stream of events, such as a subscription, ends when the server stops. */
  async #withoutSession(handler: McpHttpHandler, exchange: Exchange, body: unknown): Promise<null> {
    const answer = await this.#counted(() => handler.fetch(webRequest(exchange[0]), { parsedBody: body }));
    await sendWebResponse(this.#listener, exchange, answer);
    return null;
  }

  /** Runs work for which the server waits before it stops. */
  async #counted<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    const settled = done.catch(() => undefined);
    this.#answering.add(settled);
    try {
      return await done;
    } finally {
      this.#answering.delete(settled);
    }
  }

  #failure(error: unknown): HttpAnswer {
    if (error instanceof BodyError)
      return refused(error.status, error.message, error.reason === 'not JSON' ? codes.parse : codes.invalid);
    this.options.onFault?.(error instanceof Error ? error : new Error(String(error)));
    return refused(500, 'The server had an error while it answered', codes.internal);
  }
}

const isInitialize = (body: unknown): boolean => (body as { method?: unknown } | null)?.method === 'initialize';

const rpcError = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });

const refused = (status: number, message: string, code: number = codes.refused): HttpAnswer => ({
  status,
  json: rpcError(code, message),
});

const unavailable = (message: string): HttpAnswer => ({ ...refused(503, message), retryAfterS: 1 });
