// Listens to HTTP for all servers of this package: it refuses requests that a web page in a browser could have sent, limits the
// memory and time that clients can take, and stops without waiting for incomplete requests.
import { once } from 'node:events';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { isIPv6, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { jsonBytesInSteps } from './json-writing.js';
import { refusalOf, type Refusal } from './request-guard.js';
import { inTurns } from './turn.js';

export interface HttpListenerOptions {
  host: string;
  /** The port; 0 for any free one. */
  port: number;
  /** The path and the query are as the client sent them. */
  respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Returns the status and the JSON body of the answer to a request that is refused. */
  refuse: (refusal: Refusal) => { status: number; json: object };
  /** Receives a request to switch to another protocol, such as WebSocket; if not given, these are refused. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Receives errors of the server, which the client sees as status 500. */
  onFault?: (error: Error) => void;
  limits?: Partial<ListenerLimits>;
}

/** `text` and `bytes` are sent unchanged, and `json` as JSON. */
export interface HttpAnswer {
  status: number;
  json?: unknown;
  text?: string;
  /** A body of bytes; `headers` must contain its content type. */
  bytes?: Uint8Array;
  retryAfterS?: number;
  headers?: OutgoingHttpHeaders;
}

export interface ListenerLimits {
  /** Milliseconds without progress, in sending a request or in reading an answer, after which a client is disconnected. */
  stallMs: number;
  /** Milliseconds in which a complete request must arrive, even if its client keeps sending. */
  requestMs: number;
  /** The most bytes, over all connections, of answers that clients have not read yet. */
  unread: number;
  connections: number;
}

const usualLimits: ListenerLimits = { stallMs: 30_000, requestMs: 120_000, unread: 64 * 2 ** 20, connections: 4096 };

/** Milliseconds that clients have to complete their requests after the server was asked to stop. */
const GRACE_MS = 1000;

/**
 * Milliseconds for which the server keeps reading a request that it has refused. The operating system resets a connection that is
 * closed while its client sends, and a client that notices the reset before it has read the answer loses the answer.
 */
const LINGER_MS = 2000;

/** Milliseconds between two checks of the number of unread bytes. */
const LOOK_MS = 250;

export class HttpListener {
  readonly #server: Server;
  readonly #limits: ListenerLimits;
  /** Open connections, each with its unanswered requests. */
  readonly #unanswered = new Map<Socket, Set<IncomingMessage>>();
  readonly #look: NodeJS.Timeout;

  private constructor(private readonly options: HttpListenerOptions) {
    const limits = { ...usualLimits, ...options.limits };
    const { stallMs, requestMs } = limits;
    this.#limits = limits;
    this.#server = createServer(
      {
        requestTimeout: requestMs,
        headersTimeout: Math.min(stallMs, requestMs),
        connectionsCheckingInterval: Math.min(5000, stallMs),
        // Longer than Node's 5 s: an agent may wait longer, and the connection would close just when its next request is sent.
        keepAliveTimeout: stallMs,
      },
      (request, response) => void this.#take(request, response),
    );
    this.#server.maxConnections = limits.connections;
    this.#server.setTimeout(stallMs, (socket: Socket) => this.#leaveStalled(socket));
    const { upgrade } = options;
    if (upgrade) this.#server.on('upgrade', (...taken) => this.#upgrade(upgrade, ...taken));
    this.#server.on('connection', (socket: Socket) => {
      socket.on('error', ignore); // this is needed while HTTP does not listen to the socket: during and after an upgrade
      this.#unanswered.set(socket, new Set());
      socket.once('close', () => this.#unanswered.delete(socket));
    });
    this.#look = setInterval(() => this.#dropUnread(), LOOK_MS).unref();
  }

  /** Starts to listen, and returns the listener. @throws if the port or the address cannot be used */
  static async listen(options: HttpListenerOptions): Promise<HttpListener> {
    const listener = new HttpListener(options);
    // A full queue (511 by default) would make new clients try again only after 1, 3, 7, … 63 seconds.
    const { host, port } = options;
    listener.#server.listen({ host, port, backlog: listener.#limits.connections });
    try {
      await once(listener.#server, 'listening');
    } catch (error) {
      clearInterval(listener.#look);
      throw listenError(error as NodeJS.ErrnoException, options);
    }
    // A connection that cannot be accepted, for instance without free file descriptors, must not end the server.
    listener.#server.on('error', (error) => options.onFault?.(error));
    return listener;
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  /** Returns the server's URL without a path, `http://ADDRESS:PORT`. */
  get origin(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
  }

  /** Answers the complete requests, accepts no further one, and closes all other connections. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    const grace = setTimeout(() => {
      for (const [socket, requests] of this.#unanswered)
        if (![...requests].some(({ complete }) => complete)) socket.destroy();
    }, GRACE_MS);
    await closed;
    clearTimeout(grace);
    clearInterval(this.#look);
  }

  /** Sends an answer like `send`, but writes large JSON in steps. */
  async sendInSteps(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): Promise<void> {
    const { json } = answer;
    if (json === undefined) this.send(request, response, answer);
    else this.#send(request, response, answer, await inTurns(jsonBytesInSteps(json)));
  }

  /** The connection closes afterwards if the server is stopping, or the client has not sent its whole request. */
  send(request: IncomingMessage, response: ServerResponse, answer: HttpAnswer): void {
    const { json, text, bytes } = answer;
    this.#send(request, response, answer, [bytes ?? Buffer.from(text ?? JSON.stringify(json))]);
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, text, retryAfterS, headers }: HttpAnswer,
    body: readonly Uint8Array[],
  ): void {
    const isLast = !this.isListening || !request.complete;
    request.resume(); // discards the body, since the client would otherwise never read the answer
    response.writeHead(status, {
      'content-type': text === undefined ? 'application/json' : 'text/plain; charset=utf-8',
      'content-length': body.reduce((sum, { length }) => sum + length, 0),
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
      ...headers,
      ...(isLast && { connection: 'close' }),
    });
    if (!request.complete) return endAfterRequest(request, response, body);
    response.cork();
    for (const part of body) response.write(part);
    response.uncork(); // Node 24.9 drops data that is corked at the end of a response
    response.end();
  }

  #upgrade(
    upgrade: NonNullable<HttpListenerOptions['upgrade']>,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    const refusal = refusalOf(request, this.options.host);
    if (refusal === null) return upgrade(request, socket, head);
    refuseUpgrade(socket, refusal.status, refusal.message);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const unanswered = this.#unanswered.get(request.socket);
    unanswered?.add(request);
    request.on('error', ignore);
    response.on('error', ignore);
    response.once('finish', () => {
      unanswered?.delete(request);
      if (!this.isListening) setImmediate(() => this.#server.closeIdleConnections());
    });
    const refusal = refusalOf(request, this.options.host);
    if (refusal !== null) return this.#refuse(request, response, refusal);
    try {
      await this.options.respond(request, response);
    } catch (error) {
      this.options.onFault?.(error as Error);
      if (response.headersSent) response.destroy();
      else this.#refuse(request, response, { status: 500, message: 'the server had an error while it answered' });
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    this.send(request, response, { ...this.options.refuse(refusal), headers: { connection: 'close' } });
  }

  /** Disconnects a client that neither sends nor reads in time, unless it waits for an answer that is still computed. */
  #leaveStalled(socket: Socket): void {
    const requests = [...(this.#unanswered.get(socket) ?? [])];
    const isBeingRefused = requests.some((request) => !request.complete && request.listenerCount('timeout') > 0);
    const isAtWork = socket.writableLength === 0 && requests.some(({ complete }) => complete);
    if (!isBeingRefused && !isAtWork) socket.destroy();
  }

  /** Disconnects clients, those with the most unread bytes first, while the sum over all connections exceeds the limit. */
  #dropUnread(): void {
    let unread = 0;
    for (const { writableLength } of this.#unanswered.keys()) unread += writableLength;
    if (unread <= this.#limits.unread) return;
    for (const socket of [...this.#unanswered.keys()].sort((a, b) => b.writableLength - a.writableLength)) {
      if (unread <= this.#limits.unread) return;
      unread -= socket.writableLength;
      socket.destroy();
    }
  }
}

const ignore = (): void => undefined;

/** Sends immediately, and closes the connection after the rest of the request, or after `LINGER_MS`. */
function endAfterRequest(request: IncomingMessage, response: ServerResponse, body: readonly Uint8Array[]): void {
  response.flushHeaders(); // without this, an answer without a body would not send its headers yet
  for (const part of body) response.write(part);
  const end = () => {
    clearTimeout(linger);
    response.end();
  };
  const linger = setTimeout(end, LINGER_MS);
  request.once('close', end);
}

/** Refuses to switch to another protocol. The connection is closed even if the client does not close its side. */
export function refuseUpgrade(socket: Duplex, status: number, message = STATUS_CODES[status] ?? ''): void {
  socket.once('finish', () => socket.destroy());
  const body = Buffer.from(message);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${message}`,
  );
}

/**
 * Calls `left` if the connection closes before the returned function ends the watch. It watches the request's socket: a response
 * that waits for an earlier one (HTTP pipelining) has none yet, and would not emit 'close'.
 */
export function whenClientLeaves({ socket }: IncomingMessage, left: () => void): () => void {
  if (socket.destroyed) left();
  socket.setMaxListeners(0); // no limit, since each pipelined request adds a listener
  socket.once('close', left);
  return () => socket.off('close', left);
}

/** The path is '/' if the client sent a complete URL that is invalid. */
export function pathOf(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const target = request.url ?? '/';
  // A path such as `//host` is put behind a host name, since it would otherwise be parsed as a host name itself.
  const text = target.startsWith('/') ? `http://server${target}` : target;
  if (!URL.canParse(text)) return { path: '/', query: new URLSearchParams() };
  const { pathname, searchParams } = new URL(text);
  return { path: pathname, query: searchParams };
}

function listenError(error: NodeJS.ErrnoException, { host, port }: HttpListenerOptions): Error {
  const problems: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is in use by another process\n  choose another one: task.port=NUMBER, or task.port=0 for any free one`,
    EACCES: `port ${port} of ${host} may not be used by this user\n  choose one above 1023: task.port=NUMBER`,
    EADDRNOTAVAIL: `this machine has no address ${host}\n  choose another one: task.host=127.0.0.1`,
    ENOTFOUND: `the name '${host}' is not known\n  choose another one: task.host=127.0.0.1`,
  };
  const text = problems[error.code ?? ''];
  return text === undefined ? error : new Error(`cannot listen: ${text}`, { cause: error });
}
