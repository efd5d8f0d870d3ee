// Any environment over OpenEnv's protocol, so that OpenEnv's Python clients and ours can play it: a WebSocket is a session with an
// environment of its own; the HTTP routes describe the server, and play one call on a fresh environment each.
// Source: OpenEnv at 685de41, sections of its WebSocket and HTTP routes.
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Env } from '@bowyer/envs';
import { WebSocketServer, type WebSocket } from 'ws';
import { BodyError, bodyText, HttpListener, pathOf } from '../http/http-listener.js';
import { metadataOf, mcpAnswer, mcpAnswerTo, openApi, schemas } from './descriptions.js';
import { actionMessage, errorFrame, MessageError, readMessage, resetData, SessionError } from './messages.js';
import { OpenEnvSession, type ObservationData, type ResetOptions } from './session.js';

export interface OpenEnvServerOptions {
  name: string;
  description: string;
  host: string;
  /** 0: any free one. */
  port: number;
  makeEnv: () => Env;
  resetOptions: ResetOptions;
  /** Sessions at the same time. */
  maxInstances: number;
  /** A session without a message for so long is closed, in milliseconds. */
  idleMs: number;
  /** Called on faults of an environment, which the client gets as EXECUTION_ERROR. */
  onFault?: (error: Error) => void;
}

const LONGEST_MESSAGE = 4 * 2 ** 20;
const NORMAL = 1000;
const GOING_AWAY = 1001;

interface Answer {
  status: number;
  json: unknown;
}

export class OpenEnvServer {
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: LONGEST_MESSAGE });
  /** Answers that are not finished, by connection. */
  readonly #sessions = new Map<WebSocket, Promise<void>>();
  #listener!: HttpListener;

  private constructor(private readonly options: OpenEnvServerOptions) {}

  /** @returns the server once it listens */
  static async listen(options: OpenEnvServerOptions): Promise<OpenEnvServer> {
    const server = new OpenEnvServer(options);
    server.#listener = await HttpListener.listen({
      host: options.host,
      port: options.port,
      respond: (request, response) => server.#respond(request, response),
      refuse: ({ status, message }) => ({ status, json: { detail: message } }),
      upgrade: (request, socket, head) => server.#upgrade(request, socket, head),
    });
    return server;
  }

  /** The base URL that a client is given. */
  get url(): string {
    return this.#listener.origin;
  }

  /** Sessions that are open. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Accepts nothing further, answers what has arrived, closes every environment. */
  async close(): Promise<void> {
    const closing = this.#listener.close();
    const sessions = [...this.#sessions];
    await Promise.all(
      sessions.map(async ([socket, last]) => {
        await last;
        socket.close(GOING_AWAY, 'the server stops');
      }),
    );
    await Promise.all(sessions.map(([socket]) => closed(socket)));
    this.#sockets.close();
    await closing;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path } = pathOf(request);
    if (path !== '/ws' && path !== '/mcp') return refuseUpgrade(socket, 403);
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (path === '/mcp')
        webSocket.on('message', (data: Buffer) => webSocket.send(JSON.stringify(mcpAnswer(data.toString())))); // prettier-ignore
      else this.#open(webSocket);
    });
  }

  #open(socket: WebSocket): void {
    const { maxInstances, makeEnv, resetOptions, idleMs } = this.options;
    const active = this.#sessions.size;
    if (active >= maxInstances) {
      const message = `Server at capacity: ${active}/${maxInstances} sessions active. Cannot accept new connections.`;
      const frame = errorFrame('CAPACITY_REACHED', message, { active_sessions: active, max_sessions: maxInstances });
      return end(socket, frame);
    }
    const session = new OpenEnvSession(makeEnv(), resetOptions);
    const idle = setTimeout(() => socket.close(GOING_AWAY, 'idle'), idleMs).unref();
    let last = Promise.resolve();
    this.#sessions.set(socket, last);
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      idle.refresh();
      last = last.then(() =>
        socket.readyState === socket.OPEN ? this.#take(socket, session, data, isBinary) : undefined,
      );
      this.#sessions.set(socket, last);
    });
    socket.on('error', () => socket.terminate()); // too long a frame, or no UTF-8
    socket.on('close', () => {
      clearTimeout(idle);
      this.#sessions.delete(socket);
      void last.then(() => session.close()).catch((error: Error) => this.options.onFault?.(error));
    });
  }

  async #take(socket: WebSocket, session: OpenEnvSession, data: Buffer, isBinary: boolean): Promise<void> {
    try {
      if (isBinary) throw new SessionError('binary frames are not part of the protocol');
      const reply = await this.#reply(session, data.toString());
      if (reply === null) socket.close(NORMAL);
      else socket.send(JSON.stringify(reply));
    } catch (error) {
      if (error instanceof SessionError) end(socket, errorFrame('SESSION_ERROR', error.message));
      else if (error instanceof MessageError) {
        const { code, message, errors } = error;
        socket.send(JSON.stringify(errorFrame(code, message, errors && { errors })));
      } else {
        this.options.onFault?.(error as Error);
        socket.send(JSON.stringify(errorFrame('EXECUTION_ERROR', (error as Error).message)));
      }
    }
  }

  /** @returns null for a request to close */
  async #reply(session: OpenEnvSession, text: string): Promise<object | null> {
    const request = readMessage(text);
    if (request.type === 'close') return null;
    if (request.type === 'state') return { type: 'state', data: session.state };
    if (request.type === 'mcp') return { type: 'mcp', data: mcpAnswerTo(request.data) };
    const data = request.type === 'reset' ? await session.reset(request.data) : await session.step(request.message);
    return { type: 'observation', data };
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, json } = await this.#answer(request).catch((error: unknown) => this.#failure(error));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(json));
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const { name, description } = this.options;
    const { path } = pathOf(request);
    const route = `${request.method} ${path}`;
    switch (route) {
      case 'GET /':
      case 'GET /health':
        return ok({ status: 'healthy' });
      case 'GET /metadata':
        return ok(metadataOf(name, description));
      case 'GET /schema':
        return ok(schemas);
      case 'GET /openapi.json':
        return ok(openApi(name));
      case 'POST /mcp':
        return ok(mcpAnswer(await bodyText(request, LONGEST_MESSAGE)));
      case 'GET /state':
        return ok({ episode_id: null, step_count: 0 });
      case 'POST /reset': {
        const data = resetData(jsonOf(await bodyText(request, LONGEST_MESSAGE)), ['body']);
        return ok(await this.#once((session) => session.reset(data)));
      }
      case 'POST /step': {
        const { action } = jsonOf(await bodyText(request, LONGEST_MESSAGE)) as { action?: unknown };
        const message = actionMessage(action);
        return ok(await this.#once((session) => session.step(message)));
      }
      default:
        return PATHS.includes(path) ? { status: 405, json: { detail: 'Method Not Allowed' } } : { status: 404, json: { detail: 'Not Found' } }; // prettier-ignore
    }
  }

  /** One call on an environment of its own, as the protocol has it for HTTP. */
  async #once(call: (session: OpenEnvSession) => Promise<ObservationData>): Promise<ObservationData> {
    const session = new OpenEnvSession(this.options.makeEnv(), this.options.resetOptions);
    try {
      return await call(session);
    } finally {
      await session.close();
    }
  }

  #failure(error: unknown): Answer {
    if (error instanceof MessageError) return { status: 422, json: { detail: error.errors } };
    if (error instanceof BodyError) return { status: error.reason === 'too large' ? 413 : 400, json: { detail: error.message } }; // prettier-ignore
    this.options.onFault?.(error as Error);
    return { status: 500, json: { detail: 'Internal Server Error' } };
  }
}

const PATHS = ['/', '/health', '/metadata', '/schema', '/openapi.json', '/mcp', '/state', '/reset', '/step'];

const ok = (json: unknown): Answer => ({ status: 200, json });

function jsonOf(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body);
  } catch {
    throw new BodyError('not JSON', 'the body is not JSON');
  }
}

function end(socket: WebSocket, frame: object): void {
  socket.send(JSON.stringify(frame));
  socket.close(NORMAL);
}

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const closed = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    if (socket.readyState === socket.CLOSED) return resolve();
    const timer = setTimeout(() => socket.terminate(), 1000);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
