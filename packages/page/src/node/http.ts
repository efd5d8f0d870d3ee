// Replaces the module `node:http` when Bowyer runs in a worker of a web page. Its servers exist only in the worker's memory,
// and only the page can send requests to them.
import type nodeStream from 'node:stream';
import { Buffer } from 'buffer';
import { EventEmitter } from 'events';
import stream from 'readable-stream';

const { Readable, Writable }: { Readable: typeof nodeStream.Readable; Writable: typeof nodeStream.Writable } = stream;

/** A request from the page to a server of the program in its worker. */
export interface PageAsk {
  readonly port: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A function that receives an answer in several calls: its head, its bytes, and null at its end. */
export type TakeAnswer = (part: AnswerHead | Uint8Array | null) => void;

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

const servers = new Map<number, PageServer>();
const FIRST_FREE_PORT = 49_152;

/** The connection of one request, in place of a socket of the network. */
class PageSocket extends EventEmitter {
  destroyed = false;
  readonly writableLength = 0;

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

class PageRequest extends Readable {
  readonly complete = true;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  readonly url: string;

  constructor(
    { method, url, headers, body }: PageAsk,
    readonly socket: PageSocket,
  ) {
    super({ read: () => undefined });
    this.method = method;
    this.url = url;
    this.headers = headers;
    if (body.length > 0) this.push(Buffer.from(body));
    this.push(null);
  }
}

class PageResponse extends Writable {
  headersSent = false;
  readonly #headers: Record<string, string> = {};
  #status = 200;

  constructor(
    readonly req: PageRequest,
    private readonly take: TakeAnswer,
  ) {
    super({ decodeStrings: true });
    this.once('close', () => {
      if (!this.writableFinished) this.flushHeaders();
      take(null);
      setTimeout(() => req.socket.destroy()); // after listeners of the answer's end were called
    });
  }

  setHeader(name: string, value: unknown): this {
    this.#headers[name] = String(value);
    return this;
  }

  writeHead(status: number, headers: Readonly<Record<string, unknown>> = {}): this {
    this.#status = status;
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.setHeader(name, value);
    return this;
  }

  flushHeaders(): void {
    if (this.headersSent) return;
    this.headersSent = true;
    this.take({ status: this.#status, headers: this.#headers });
  }

  override _write(bytes: Uint8Array, _: string, done: () => void): void {
    this.flushHeaders();
    this.take(Uint8Array.from(bytes));
    done();
  }

  override _final(done: () => void): void {
    this.flushHeaders();
    done();
  }
}

class PageServer extends EventEmitter {
  listening = false;
  maxConnections = Infinity;
  #port = 0;
  readonly #sockets = new Set<PageSocket>();

  listen({ host, port }: { host: string; port: number }): this {
    let free = port;
    if (port === 0) for (free = FIRST_FREE_PORT; servers.has(free); free++);
    const code = servers.has(free) ? 'EADDRINUSE' : null;
    queueMicrotask(() => {
      if (code !== null) {
        this.emit('error', Object.assign(new Error(`listen ${code} ${host}:${port}`), { code }));
        return;
      }
      servers.set(free, this);
      this.#port = free;
      this.listening = true;
      this.emit('listening');
    });
    return this;
  }

  address(): { address: string; port: number } {
    return { address: '127.0.0.1', port: this.#port };
  }

  setTimeout(): this {
    return this; // a page has no timeouts of connections
  }

  closeIdleConnections(): void {
    // Nothing must be closed, since each connection ends with its answer.
  }

  close(): this {
    if (servers.get(this.#port) === this) servers.delete(this.#port);
    this.listening = false;
    this.#closed();
    return this;
  }

  /** Returns a function that aborts the request. */
  answer(ask: PageAsk, take: TakeAnswer): () => void {
    const socket = new PageSocket();
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (!this.listening) this.#closed();
    });
    this.emit('connection', socket);
    const request = new PageRequest(ask, socket);
    const response = new PageResponse(request, take);
    socket.once('close', () => response.destroy());
    this.emit('request', request, response);
    return () => socket.destroy();
  }

  #closed(): void {
    if (this.#sockets.size === 0) setTimeout(() => this.emit('close'));
  }
}

/** Sends a request to the server that listens on a port; returns a function that aborts it. @throws if no server listens */
export function ask(request: PageAsk, take: TakeAnswer): () => void {
  const server = servers.get(request.port);
  if (server === undefined) throw new Error(`no server of this page listens on port ${request.port}`);
  return server.answer(request, take);
}

type OnRequest = (request: PageRequest, response: PageResponse) => void;
export function createServer(...given: [OnRequest] | [object, OnRequest]): PageServer {
  return new PageServer().on('request', given.at(-1) as OnRequest) as PageServer;
}

export const STATUS_CODES: Readonly<Record<number, string>> = {};
export default { createServer, STATUS_CODES };
