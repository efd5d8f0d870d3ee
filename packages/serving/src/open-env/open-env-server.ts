// Serves any environment over OpenEnv's protocol, so that OpenEnv's Python clients and ours can play it. Each WebSocket is a
// session with its own environment. Each HTTP request either asks for a description of the server, or makes one call on a new
// environment. Source: OpenEnv at 685de41, sections of its WebSocket and HTTP routes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Env } from '@bowyer/envs';
import { faultMessage } from '../http/excerpt.js';
import { closeCodes, frameServer, FrameSocket } from '../http/frame-socket.js';
import { HttpListener, pathOf, refuseUpgrade, type HttpAnswer } from '../http/http-listener.js';
import { parseJson } from '../http/json-text.js';
import { BodyError, readBody } from '../http/request-body.js';
import { metadataOf, mcpAnswer, mcpAnswerTo, openApi, schemas } from './descriptions.js';
import { actionMessage, errorFrame, MessageError, readMessage, resetData, SessionError } from './messages.js';
import { OpenEnvSession, type ObservationData, type ResetOptions } from './session.js';

export interface OpenEnvServerOptions {
  name: string;
  description: string;
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  makeEnv: () => Env;
  resetOptions: ResetOptions;
  /** Whether each observation contains the whole history of the episode; false if not given. */
  isHistory?: boolean;
  /** The most sessions that are open at the same time. */
  maxInstances: number;
  /** Milliseconds without a message after which a session is closed. */
  idleMs: number;
  /** Receives errors thrown by an environment, which the client gets as EXECUTION_ERROR. */
  onFault?: (error: Error) => void;
}

const LONGEST_MESSAGE = 4 * 2 ** 20;

export class OpenEnvServer {
  readonly #frames = frameServer(LONGEST_MESSAGE);
  readonly #sockets = new Set<FrameSocket>();
  readonly #sessions = new Map<FrameSocket, OpenEnvSession>();
  /** The number of environments that were made for single HTTP requests and are still open. */
  #once = 0;
  #listener!: HttpListener;

  private constructor(private readonly options: OpenEnvServerOptions) {}

  static async listen(options: OpenEnvServerOptions): Promise<OpenEnvServer> {
    const server = new OpenEnvServer(options);
    server.#listener = await HttpListener.listen({
      host: options.host,
      port: options.port,
      respond: (request, response) => server.#respond(request, response),
      refuse: ({ status, message }) => ({ status, json: { detail: message } }),
      upgrade: (request, socket, head) => server.#upgrade(request, socket, head),
      onFault: options.onFault,
    });
    return server;
  }

  get url(): string {
    return this.#listener.origin;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Stops the server: it accepts no further requests, answers the received ones, and closes every environment. */
  async close(): Promise<void> {
    const closing = this.#listener.close();
    await Promise.all([...this.#sockets].map((socket) => socket.finish('the server stops')));
    await closing;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { idleMs, onFault } = this.options;
    const { path } = pathOf(request);
    if (path !== '/ws' && path !== '/mcp') return refuseUpgrade(socket, 403);
    const onMessage = (from: FrameSocket, data: Buffer, isBinary: boolean) =>
      path === '/mcp' ? answerMcp(from, data) : this.#take(from, data, isBinary);
    FrameSocket.accept(this.#frames, [request, socket, head], { idleMs, onFault, onMessage }, (opened) => {
      this.#sockets.add(opened);
      void opened.closed.then(() => this.#sockets.delete(opened));
      if (path === '/ws') void this.#open(opened);
    });
  }

  async #open(socket: FrameSocket): Promise<void> {
    const session = this.#newSession();
    if (!(session instanceof OpenEnvSession)) {
      void socket.send(session);
      return socket.end(closeCodes.normal);
    }
    this.#sessions.set(socket, session);
    await socket.closed;
    this.#sessions.delete(socket);
    await session.close().catch((error: Error) => this.options.onFault?.(error));
  }

  /** Returns an error frame if `maxInstances` sessions are open or the environment cannot be made. */
  #newSession(): OpenEnvSession | ReturnType<typeof errorFrame> {
    const { maxInstances, makeEnv, resetOptions, isHistory = false, onFault } = this.options;
    const active = this.#sessions.size + this.#once;
    if (active >= maxInstances) {
      const message = `Server at capacity: ${active}/${maxInstances} sessions active. Cannot accept new connections.`;
      return errorFrame('CAPACITY_REACHED', message, { active_sessions: active, max_sessions: maxInstances });
    }
    try {
      return new OpenEnvSession(makeEnv(), resetOptions, isHistory);
    } catch (error) {
      onFault?.(error as Error);
      return errorFrame('FACTORY_ERROR', `The environment cannot be made: ${faultMessage(error)}`);
    }
  }

  async #take(socket: FrameSocket, data: Buffer, isBinary: boolean): Promise<void> {
    try {
      if (isBinary) throw new SessionError('binary frames are not part of the protocol');
      const reply = await this.#reply(this.#sessions.get(socket), data.toString());
      if (reply === null) socket.end(closeCodes.normal);
      else await socket.send(reply);
    } catch (error) {
      await socket.send(this.#errorFrame(error));
      if (error instanceof SessionError) socket.end(closeCodes.normal);
    }
  }

  #errorFrame(error: unknown): object {
    if (error instanceof SessionError) return errorFrame('SESSION_ERROR', error.message);
    if (error instanceof MessageError) {
      const { code, message, errors } = error;
      return errorFrame(code, message, errors && { errors });
    }
    this.options.onFault?.(error as Error);
    return errorFrame('EXECUTION_ERROR', faultMessage(error));
  }

  /** Returns null for the message `close`. */
  async #reply(session: OpenEnvSession | undefined, text: string): Promise<object | null> {
    const request = await readMessage(text);
    if (request.type === 'close' || session === undefined) return null;
    if (request.type === 'state') return { type: 'state', data: session.state };
    if (request.type === 'mcp') return { type: 'mcp', data: mcpAnswerTo(request.data) };
    const data = request.type === 'reset' ? await session.reset(request.data) : await session.step(request.message);
    return { type: 'observation', data };
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request).catch((error: unknown) => this.#failure(error));
    await this.#listener.sendInSteps(request, response, answer);
  }

  async #answer(request: IncomingMessage): Promise<HttpAnswer> {
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
        return ok(await readBody(request, LONGEST_MESSAGE, mcpAnswer));
      case 'GET /state':
        return ok({ episode_id: null, step_count: 0 });
      case 'POST /reset': {
        const data = resetData(await readBody(request, LONGEST_MESSAGE, jsonOf), ['body']);
        const isChosen = data.seed !== null || data.item !== null;
        return this.#played((session) => session.reset(data), isChosen);
      }
      case 'POST /step': {
        const message = actionMessage(actionOf(await readBody(request, LONGEST_MESSAGE, jsonOf)));
        return this.#played((session) => session.step(message), true);
      }
      default:
        return PATHS.includes(path)
          ? { status: 405, json: { detail: 'Method Not Allowed' } }
          : { status: 404, json: { detail: 'Not Found' } };
    }
  }

  /**
   * Makes one call on a new environment, which is closed afterwards, as OpenEnv defines it for HTTP requests.
   *
   * @param isChosen whether the client's input may cause a failure, such as an unknown problem, or a step before a reset
   */
  async #played(call: (session: OpenEnvSession) => Promise<ObservationData>, isChosen: boolean): Promise<HttpAnswer> {
    const session = this.#newSession();
    if (!(session instanceof OpenEnvSession)) {
      const { message, code } = session.data;
      if (code === 'FACTORY_ERROR') return { status: 500, json: { detail: message } };
      return { status: 503, json: { detail: message }, retryAfterS: 1 };
    }
    this.#once++;
    try {
      return ok(await call(session));
    } catch (error) {
      if (!isChosen) throw error;
      this.options.onFault?.(error as Error);
      return { status: 400, json: { detail: faultMessage(error) } };
    } finally {
      this.#once--;
      await session.close();
    }
  }

  #failure(error: unknown): HttpAnswer {
    if (error instanceof MessageError) return { status: 422, json: { detail: error.errors } };
    if (error instanceof BodyError) return { status: error.status, json: { detail: error.message } };
    this.options.onFault?.(error as Error);
    return { status: 500, json: { detail: 'Internal Server Error' } };
  }
}

const PATHS = ['/', '/health', '/metadata', '/schema', '/openapi.json', '/mcp', '/state', '/reset', '/step'];

const ok = (json: unknown): HttpAnswer => ({ status: 200, json });

const jsonOf = async (body: string): Promise<unknown> => (body === '' ? {} : parseJson(body));

/** Returns the action of a request's body; undefined if it has none, so that the reader reports a missing field. */
const actionOf = (body: unknown): unknown => (body as { action?: unknown } | null)?.action;

const answerMcp = async (socket: FrameSocket, data: Buffer) => socket.send(await mcpAnswer(data.toString()));
