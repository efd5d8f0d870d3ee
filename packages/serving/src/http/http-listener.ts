// The HTTP listener of both servers: it refuses requests that a page in a browser could have sent, reads bodies, and stops
// without waiting for clients that have not finished their request.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refusalOf, type Refusal } from './request-guard.js';

export interface HttpListenerOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Answers a request that is not refused; called with the path and query as the client sent them. */
  respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** The body and headers of the answer to a request that is refused. */
  refuse: (refusal: Refusal) => { status: number; json: object };
  /** Takes a request for another protocol that is not refused, such as WebSocket; without it there is none. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** How long a client may take to send the rest of its request after the server has been asked to stop, in milliseconds. */
const GRACE_MS = 1000;

export class HttpListener {
  readonly #server: Server;
  /** Open connections, each with its requests that are not answered. */
  readonly #unanswered = new Map<Socket, Set<IncomingMessage>>();

  private constructor(private readonly options: HttpListenerOptions) {
    this.#server = createServer((request, response) => void this.#take(request, response));
    const { upgrade } = options;
    if (upgrade) this.#server.on('upgrade', (...taken) => this.#upgrade(upgrade, ...taken));
    this.#server.on('connection', (socket: Socket) => {
      this.#unanswered.set(socket, new Set());
      socket.once('close', () => this.#unanswered.delete(socket));
    });
  }

  /**
   * @returns the listener once it listens
   * @throws if the port or the address cannot be used
   */
  static async listen(options: HttpListenerOptions): Promise<HttpListener> {
    const listener = new HttpListener(options);
    listener.#server.listen(options.port, options.host);
    try {
      await once(listener.#server, 'listening');
    } catch (error) {
      throw listenError(error as NodeJS.ErrnoException, options);
    }
    return listener;
  }

  /** Whether new connections are accepted. */
  get isListening(): boolean {
    return this.#server.listening;
  }

  /** `http://ADDRESS:PORT`. */
  get origin(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
  }

  /** Accepts no further request, waits for the answers to those that have arrived, and closes all other connections. */
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
  }

  #upgrade(
    upgrade: NonNullable<HttpListenerOptions['upgrade']>,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): void {
    const refusal = refusalOf(request, this.options.host);
    if (refusal === null) return upgrade(request, socket, head);
    socket.end(`HTTP/1.1 ${refusal.status} ${refusal.message}\r\nConnection: close\r\n\r\n`);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const unanswered = this.#unanswered.get(request.socket);
    unanswered?.add(request);
    response.once('finish', () => {
      unanswered?.delete(request);
      if (!this.isListening) setImmediate(() => this.#server.closeIdleConnections());
    });
    const refusal = refusalOf(request, this.options.host);
    if (refusal === null) return this.options.respond(request, response);
    const { status, json } = this.options.refuse(refusal);
    request.resume(); // or the client would never read the answer
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(json));
  }
}

/**
 * Calls `left` when the client's connection closes before `done`. A response behind others on the same connection (HTTP
 * pipelining) has no connection of its own yet, so its own 'close' event would not come.
 *
 * @returns what ends the watch
 */
export function whenClientLeaves({ socket }: IncomingMessage, left: () => void): () => void {
  if (socket.destroyed) left();
  socket.setMaxListeners(0); // one for each pipelined request
  socket.once('close', left);
  return () => socket.off('close', left);
}

/** The path of a request without its query; '/' where the client sent a whole URL that cannot be read. */
export function pathOf(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const target = request.url ?? '/';
  // `//host` would be read as a host's name
  const text = target.startsWith('/') ? `http://server${target}` : target;
  if (!URL.canParse(text)) return { path: '/', query: new URLSearchParams() };
  const { pathname, searchParams } = new URL(text);
  return { path: pathname, query: searchParams };
}

/** A body that cannot be read. */
export class BodyError extends Error {
  override readonly name = 'BodyError';

  constructor(
    readonly reason: 'too large' | 'not UTF-8' | 'not JSON',
    message: string,
  ) {
    super(message);
  }
}

/**
 * The body's text.
 *
 * @param longest in bytes
 * @throws {BodyError} if it is longer or not UTF-8
 */
export async function bodyText(request: IncomingMessage, longest: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= longest) pieces.push(piece); // the rest is read too, or the client would never see the answer
  }
  if (bytes > longest) throw new BodyError('too large', `the body has more than ${longest} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw new BodyError('not UTF-8', 'the body is not UTF-8');
  }
}

function listenError(error: NodeJS.ErrnoException, { host, port }: HttpListenerOptions): Error {
  const problems: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is in use by another process\n  choose another one: port=NUMBER, or port=0 for any free one`,
    EACCES: `port ${port} of ${host} may not be used by this user\n  choose one above 1023: port=NUMBER`,
    EADDRNOTAVAIL: `this machine has no address ${host}\n  choose another one: host=127.0.0.1`,
    ENOTFOUND: `the name '${host}' is not known\n  choose another one: host=127.0.0.1`,
  };
  const text = problems[error.code ?? ''];
  return text === undefined ? error : new Error(`cannot listen: ${text}`, { cause: error });
}
