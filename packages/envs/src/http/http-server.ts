// Sends requests to a remote server: with a bounded connection pool (undici), timeouts, a circuit breaker, and retries that never
// execute a request twice unless it is idempotent. All clients of a server share one instance.
import { setTimeout as wait } from 'node:timers/promises';
import { types } from 'node:util';
import { Rng, timed, waitingFor, withDeadline } from '@bowyer/core';
import type { Dispatcher, Pool } from 'undici';
import { CircuitBreaker, type CircuitOptions } from './circuit-breaker.js';
import { HttpError, type HttpFailure } from './http-error.js';
import { backoff, mayRetry, retryAfter, type RetryOptions } from './retry-policy.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { undici } from './undici.js';

export interface HttpServerOptions extends RetryOptions {
  /** The largest number of open connections. Further requests wait for a free connection. */
  connections: number;
  connectTimeoutMs: number;
  /** The timeout in milliseconds until the answer is complete, from the moment when the request has a connection. */
  answerTimeoutMs: number;
  /** The largest size of an answer in bytes. */
  maxBodyBytes: number;
  circuit: CircuitOptions;
  seed: number;
}

const httpServerDefaults: HttpServerOptions = {
  connections: 64,
  connectTimeoutMs: 10_000,
  answerTimeoutMs: 300_000,
  maxBodyBytes: 64 * 2 ** 20,
  // The retries wait 20 to 39.75 seconds in all, so that no episode is lost if a server restarts within 20 seconds.
  retries: 9,
  backoffMs: 250,
  maxBackoffMs: 8_000,
  maxRetryAfterMs: 60_000,
  circuit: { failures: 8, openMs: 10_000 },
  seed: 0,
};

interface HttpRequest<T> {
  method: 'GET' | 'POST';
  /** The path and the query that are appended to the base URL. It begins with a slash. */
  path: string;
  json?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Whether executing the request twice has the same effect as once, so that it may be retried. Default: only for GET. */
  idempotent?: boolean;
  /** The form in which `read` gets the body: parsed JSON, or text. Default: json. */
  as?: 'json' | 'text';
  /** Converts the answer's body to the result, or throws an error that says what is wrong with the body. */
  read: (body: unknown) => T;
  signal?: AbortSignal;
}

/** Error codes of network failures that occur before the request was sent, so that a retry is safe. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** The retries after an answer without content. Few, since the cause may last, such as too small a limit of tokens. */
const UNANSWERED_RETRIES = 3;

interface Answer {
  status: number;
  text: string;
  retryAfterMs: number | null;
}

class Failed {
  constructor(
    readonly error: HttpError,
    readonly retryAfterMs: number | null,
  ) {}
}

export class HttpServer {
  readonly #baseUrl: URL;
  readonly #pool: Pool;
  readonly #circuit: CircuitBreaker;
  readonly #options: HttpServerOptions;
  readonly #rng: Rng;
  readonly #limit: ConcurrencyLimit;

  /** Creates a client of one server. @param baseUrl address with an optional path and an optional trailing slash */
  constructor(baseUrl: string, options: Partial<HttpServerOptions> = {}) {
    this.#options = { ...httpServerDefaults, ...options };
    this.#baseUrl = parsedUrl(baseUrl);
    this.#circuit = new CircuitBreaker(this.#options.circuit);
    this.#rng = Rng.forPurpose(this.#options.seed, `retries of ${baseUrl}`);
    this.#limit = new ConcurrencyLimit(this.#options.connections);
    this.#pool = new (undici().Pool)(this.#baseUrl.origin, {
      connections: this.#options.connections,
      connect: { timeout: this.#options.connectTimeoutMs },
      // Undici's own timeouts are disabled: they measure only silence, and would never end an answer that arrives byte by byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
  }

  get url(): string {
    return this.#baseUrl.href.replace(/\/$/, '');
  }

  /** Sends the request, with retries, until `read` accepts an answer with status 200. @throws {HttpError} */
  request<T>(request: HttpRequest<T>): Promise<T> {
    const { method, path } = request;
    const { hostname } = this.#baseUrl;
    // Names by OpenTelemetry's semantic conventions for HTTP clients. The URL's query is left out: it may contain secrets.
    const attributes = {
      'http.request.method': method,
      'server.address': hostname,
      'url.full': `${this.url}${path.split('?')[0]}`,
    };
    const place = `${method} ${this.url}${path}`;
    return timed(
      'http',
      `${method} ${path.split('?')[0]}`,
      () =>
        waitingFor(
          () => `a request waits for ${place}`,
          () => this.#request(request),
        ),
      () => attributes,
    );
  }

  async #request<T>(request: HttpRequest<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      request.signal?.throwIfAborted();
      if (!this.#circuit.admits()) {
        throw this.#error(request, attempt, 'circuit', null, 'this server failed too often just now; not tried');
      }
      const outcome = await this.#attempt(request, attempt);
      if (!(outcome instanceof Failed)) {
        this.#circuit.succeeded();
        return outcome.value;
      }
      const waitMs = this.#waitBefore(outcome, attempt, request);
      if (waitMs === null) {
        this.#settle(outcome.error);
        throw outcome.error;
      }
      await wait(waitMs, undefined, { signal: request.signal });
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Returns the milliseconds to wait before the next attempt; null if the request must not be retried. */
  #waitBefore({ error, retryAfterMs }: Failed, attempt: number, request: HttpRequest<unknown>): number | null {
    const idempotent = isIdempotent(request);
    const retries =
      error.failure === 'unanswered' ? Math.min(UNANSWERED_RETRIES, this.#options.retries) : this.#options.retries;
    if (attempt > retries || !mayRetry(error, idempotent, retryAfterMs)) return null;
    if (retryAfterMs !== null && retryAfterMs > this.#options.maxRetryAfterMs) return null;
    return Math.max(retryAfterMs ?? 0, backoff(attempt, this.#options, this.#rng));
  }

  /**
   * Updates the circuit breaker after a failure. Refusals, empty answers and statuses up to 500 show that the server works;
   * missing or unreadable answers and gateways' errors (502 …) count as failures.
   */
  #settle({ failure, status }: HttpError): void {
    const alive =
      failure === 'refused' || failure === 'unanswered' || (failure === 'status' && (status! < 500 || status === 500));
    if (alive) this.#circuit.succeeded();
    else this.#circuit.failed();
  }

  async #attempt<T>(request: HttpRequest<T>, attempt: number): Promise<{ value: T } | Failed> {
    let answer: Answer;
    try {
      answer = await this.#send(request);
    } catch (cause) {
      if (request.signal?.aborted) {
        // A call that its caller aborts is not a failure of the server. The circuit breaker's trial call must be ended then.
        this.#circuit.succeeded();
        throw cause;
      }
      const failure = NOT_SENT.includes(codeOf(cause)) ? 'unreachable' : 'interrupted';
      return new Failed(this.#error(request, attempt, failure, null, describeFault(cause), cause), null);
    }
    const { status, text, retryAfterMs } = answer;
    if (status !== 200) return new Failed(this.#error(request, attempt, 'status', status, text), retryAfterMs);
    try {
      return { value: request.read(request.as === 'text' ? text : JSON.parse(text)) };
    } catch (cause) {
      const failure = failureOf(cause);
      const detail = failure === 'garbage' ? `${describeFault(cause)}; the answer was: ${text}` : describeFault(cause);
      return new Failed(this.#error(request, attempt, failure, status, detail, cause), null);
    }
  }

  async #send(request: HttpRequest<unknown>): Promise<Answer> {
    const { answerTimeoutMs } = this.#options;
    // The timeout begins when the request has a connection: waiting for a free one is not included.
    return this.#limit.run(() =>
      withDeadline(answerTimeoutMs, request.signal, (signal) => this.#exchange(request, signal)),
    );
  }

  async #exchange(request: HttpRequest<unknown>, signal: AbortSignal): Promise<Answer> {
    const { method, path, json, headers } = request;
    const response = await this.#pool.request({
      method,
      path: `${this.#baseUrl.pathname.replace(/\/$/, '')}${path}`,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: json === undefined ? null : JSON.stringify(json),
      signal,
      // A server may close an idle connection during a request. If that cannot be retried, its connection is not kept.
      reset: !isIdempotent(request),
    });
    const [asked, date] = ['retry-after', 'date'].map((name) => [response.headers[name]].flat()[0]);
    return {
      status: response.statusCode,
      text: await this.#text(response),
      retryAfterMs: retryAfter(asked, date),
    };
  }

  async #text({ body }: Dispatcher.ResponseData): Promise<string> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > this.#options.maxBodyBytes) throw new Error(`answer of over ${this.#options.maxBodyBytes} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  #error(
    { method, path }: HttpRequest<unknown>,
    attempt: number,
    failure: HttpFailure,
    status: number | null,
    detail: string,
    cause?: unknown,
  ): HttpError {
    return new HttpError({ failure, method, url: `${this.url}${path}`, status, attempt, detail, cause });
  }
}

/** The error that `read` throws if the answer is well formed and reports an error. */
export class RefusedAnswer extends Error {
  override readonly name = 'RefusedAnswer';
}

/** The error that `read` throws if the answer is well formed and has no content. A retry may help. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const failureOf = (cause: unknown): HttpFailure =>
  cause instanceof RefusedAnswer ? 'refused' : cause instanceof NoAnswer ? 'unanswered' : 'garbage';

const isIdempotent = ({ idempotent, method }: HttpRequest<unknown>): boolean => idempotent ?? method === 'GET';

function parsedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new Error(
    `'${text}' is not the address of a server\n  it must begin with http:// or https://, as http://127.0.0.1:36001`,
  );
}

// In tests, errors of Node's modules come from another realm than Jest's, so that `instanceof Error` is false for them.
const codeOf = (error: unknown): string =>
  types.isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Joins the messages of an error and its causes, since an outer message such as `fetch failed` explains nothing. */
export function describeFault(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  const causes = 'errors' in error && Array.isArray(error.errors) ? error.errors : error.cause ? [error.cause] : [];
  const inner = causes.map(describeFault).join('; ');
  const parts = error.message.includes(inner) ? [error.message] : [error.message, inner];
  return parts.filter((part) => part !== '').join(': ') || codeOf(error) || error.name;
}
