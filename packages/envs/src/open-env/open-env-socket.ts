// Opens a WebSocket session with an OpenEnv server, which handles one request at a time. Replies have no ids, so that after a
// timeout a late reply would be taken for the reply to the next request: the socket is then closed.
import { setTimeout as wait } from 'node:timers/promises';
import { Rng } from '@bowyer/core';
import type { WebSocket } from 'undici';
import { backoff } from '../http/retry-policy.js';
import { undici } from '../http/undici.js';

interface OpenEnvSocketOptions {
  /** The time in milliseconds within which the server must reply to a request. */
  timeoutMs: number;
  /** The time in milliseconds for which connecting is retried if the server is full or does not answer. */
  connectMs: number;
  seed: number;
}

/** The waits between attempts to connect: half a second, doubling up to 30 seconds. Source: issues of OpenEnv. */
const waits = { retries: Infinity, backoffMs: 500, maxBackoffMs: 30_000, maxRetryAfterMs: 0 };

interface Frame {
  type?: unknown;
  data?: unknown;
}

export class OpenEnvError extends Error {
  override readonly name = 'OpenEnvError';
  constructor(
    readonly url: string,
    readonly code: string,
    readonly detail: string,
  ) {
    super(`${url} answered ${code}: ${detail}`);
  }
}

/** The error for a lost connection, which ends the running episode. */
class OpenEnvConnectionError extends Error {
  override readonly name = 'OpenEnvConnectionError';
}

export class OpenEnvSocket {
  readonly #frames: Frame[] = [];
  #reader: { resolve: (frame: Frame) => void; reject: (error: Error) => void } | null = null;
  #failure: Error | null = null;

  private constructor(
    private readonly url: string,
    private readonly socket: WebSocket,
    private readonly timeoutMs: number,
  ) {
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('close', ({ code, reason }) =>
      this.#fail(new OpenEnvConnectionError(`${url} closed the connection (${code}${reason && `: ${reason}`})`)),
    );
  }

  /** Retries while the server has no free session. @throws {OpenEnvConnectionError} if no session is opened in time */
  static async connect(url: string, { timeoutMs, connectMs, seed }: OpenEnvSocketOptions): Promise<OpenEnvSocket> {
    const rng = Rng.forPurpose(seed, `connections to ${url}`);
    const until = performance.now() + connectMs;
    for (let attempt = 1; ; attempt++) {
      try {
        const socket = new OpenEnvSocket(url, await opened(url, timeoutMs), timeoutMs);
        // A server without a free session sends a refusal on its own; any other server answers this request.
        await socket.request({ type: 'state' });
        return socket;
      } catch (error) {
        const isFull = error instanceof OpenEnvError && error.code === 'CAPACITY_REACHED';
        if (!isFull && !(error instanceof OpenEnvConnectionError)) throw error;
        const waitMs = backoff(attempt, waits, rng);
        if (performance.now() + waitMs > until)
          throw new OpenEnvConnectionError(`${error.message} (attempt ${attempt}, the last)`, { cause: error });
        await wait(waitMs);
      }
    }
  }

  get isOpen(): boolean {
    return this.#failure === null && this.socket.readyState === undici().WebSocket.OPEN;
  }

  /** @throws {OpenEnvError} if the server reports an error @throws {OpenEnvConnectionError} if the session is lost */
  async request(message: { type: string; data?: unknown }): Promise<Readonly<Record<string, unknown>>> {
    if (this.#failure) throw this.#failure;
    const timer = setTimeout(
      () => this.#drop(`no reply to '${message.type}' within ${this.timeoutMs} ms`),
      this.timeoutMs,
    );
    try {
      this.socket.send(JSON.stringify(message));
      const { type, data } = await this.#next();
      const fields = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
      if (type === 'error') throw new OpenEnvError(this.url, String(fields.code), detailOf(fields));
      return fields;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    if (this.isOpen) this.socket.send('{"type":"close"}');
    this.#failure ??= new OpenEnvConnectionError(`${this.url}: the connection is closed`);
    this.socket.close();
  }

  #next(): Promise<Frame> {
    const frame = this.#frames.shift();
    if (frame) return Promise.resolve(frame);
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
  }

  #receive(data: unknown): void {
    let frame: Frame;
    try {
      frame = JSON.parse(String(data)) as Frame;
    } catch {
      return this.#drop('a frame that is not JSON');
    }
    if (this.#reader) this.#reader.resolve(frame);
    else this.#frames.push(frame);
    this.#reader = null;
  }

  #drop(reason: string): void {
    this.#fail(new OpenEnvConnectionError(`${this.url}: ${reason}`));
    this.socket.close();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#reader?.reject(this.#failure);
    this.#reader = null;
  }
}

function opened(url: string, timeoutMs: number): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new (undici().WebSocket)(url);
    const fail = (what: string) => {
      clearTimeout(timer);
      socket.close();
      reject(new OpenEnvConnectionError(`cannot connect to ${url}: ${what}`));
    };
    const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.addEventListener('open', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.addEventListener('error', (event) => fail((event.error as Error | undefined)?.message ?? 'refused'));
  });
}

/** Returns the text of the server's error message, with the invalid fields. */
function detailOf({ message, errors }: Record<string, unknown>): string {
  const problems = Array.isArray(errors) ? (errors as { loc?: unknown[]; msg?: unknown }[]) : [];
  return [String(message), ...problems.map(({ loc, msg }) => `${loc?.join('.')}: ${String(msg)}`)].join('; ');
}
