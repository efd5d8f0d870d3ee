// Implements the HTTP client for W&B's server: GraphQL requests, the stream of a run's lines, and uploads of files. Requests are
// repeated until the server accepts or refuses them.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError, withDeadline, withProgress } from '@bowyer/core';
import type { Dispatcher } from 'undici';
import type { Environment } from '../place/api-key.js';
import { undici } from './undici.js';
import { WandbError } from './wandb-error.js';

interface ClientOptions {
  baseUrl: string;
  key: string;
  /** The time to wait before the second attempt of a request, and the longest time between attempts, in milliseconds. */
  waitMinMs: number;
  waitMaxMs: number;
  streamTimeoutMs: number;
  graphqlTimeoutMs: number;
  env: Environment;
  /** Returns a random number in [0, 1), by which the times between attempts are varied. */
  random: () => number;
  onRetry: (error: WandbError, attempt: number) => void;
  /** Aborts all requests, and all waits between attempts. */
  signal: AbortSignal;
}

interface Attempt {
  what: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The limit for the whole request with its answer; null: only an upload that stalls is aborted. */
  timeoutMs: number | null;
  method: 'POST' | 'PUT';
  body: () => string | Dispatcher.DispatchOptions['body'];
  /** Whether to repeat the request after status 409, which the server returns if two requests create the same object at once. */
  retryConflict?: boolean;
}

/** The HTTP statuses after which a request is not repeated, since the server would refuse it again. */
const FINAL = [400, 401, 403, 404, 409, 410, 413, 422, 501];
/** The number of milliseconds without a sent byte after which an upload is aborted and repeated. */
const STILL_MS = 60_000;
/** The number of characters of the server's answer that an error message quotes. */
const QUOTED = 300;

export class WandbClient {
  readonly #dispatcher: Dispatcher;
  readonly #api: Readonly<Record<string, string>>;

  constructor(private readonly options: ClientOptions) {
    const { key, env } = options;
    const connect = { rejectUnauthorized: env.WANDB_INSECURE_DISABLE_SSL !== 'true' };
    const hasProxy = env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy;
    const { Agent, EnvHttpProxyAgent } = undici();
    this.#dispatcher = hasProxy ? new EnvHttpProxyAgent({ connect }) : new Agent({ connect });
    this.#api = {
      'user-agent': 'bowyer',
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}`,
    };
  }

  /** Returns the member `data`. @throws {WandbError} also if an answer with status 200 contains errors */
  async graphql<T>(
    query: string,
    variables: object,
    { retryConflict = false, onlyOnce = false }: { retryConflict?: boolean; onlyOnce?: boolean } = {},
  ): Promise<T> {
    const what = /(?:query|mutation) (\w+)/.exec(query)?.[1] ?? 'a query';
    const { env, graphqlTimeoutMs, baseUrl } = this.options;
    const attempt: Attempt = {
      what,
      method: 'POST',
      url: `${baseUrl}/graphql`,
      timeoutMs: graphqlTimeoutMs,
      retryConflict,
      headers: {
        ...this.#api,
        ...(env.WANDB_USERNAME && { 'x-wandb-username': env.WANDB_USERNAME }),
        ...(env.WANDB_USER_EMAIL && { 'x-wandb-user-email': env.WANDB_USER_EMAIL }),
      },
      body: () => JSON.stringify({ query, variables, operationName: what }),
    };
    const parsed = async () =>
      this.#json<{ data?: T; errors?: { message: string }[] }>(await this.#once(attempt), what);
    const { data, errors = [] } = await (onlyOnce ? parsed() : this.#repeated(parsed));
    if (errors.length === 0 && data) return data;
    const messages = errors.map(({ message }) => message).join('; ');
    throw new WandbError(this.#redacted(`W&B refused ${what}: ${messages || 'an empty answer'}`), 200, false);
  }

  /** Sends lines of a run's streams and names of its uploaded files. @param path ENTITY/PROJECT/RUN */
  async stream(path: string, body: object): Promise<{ stopped?: boolean }> {
    const attempt: Attempt = {
      what: 'the stream of the run',
      method: 'POST',
      url: `${this.options.baseUrl}/files/${path}/file_stream`,
      headers: this.#api,
      timeoutMs: this.options.streamTimeoutMs,
      body: () => JSON.stringify(body),
    };
    return this.#repeated(async () => {
      const text = await this.#once(attempt);
      return text === '' ? {} : this.#json(text, attempt.what);
    });
  }

  /** Uploads a file to the address that the server named. The API key is not sent, since the address may be on another host. */
  async put(url: string, path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const { size } = await stat(path);
    const attempt: Attempt = {
      what: `the upload of ${path}`,
      method: 'PUT',
      url: new URL(url, `${this.options.baseUrl}/`).href,
      headers: { ...headers, 'content-length': String(size) },
      timeoutMs: null, // a large file may take long on a slow connection
      body: () => createReadStream(path),
    };
    await this.#repeated(() => this.#once(attempt));
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }

  /**
   * Repeats a request until the server answers it. A lost answer, or the HTML page of a proxy instead of JSON, is not an answer.
   */
  async #repeated<T>(once: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await once();
      } catch (error) {
        if (!(error instanceof WandbError) || !error.retryable) throw error;
        this.options.onRetry(error, failures + 1);
        await sleep(this.#wait(error, failures), undefined, { signal: this.options.signal });
      }
    }
  }

  /** Returns the time to wait after n failures: min · 2ⁿ plus up to a quarter, at most max, or as long as the server asks. */
  #wait(error: WandbError, failures: number): number {
    const { waitMinMs, waitMaxMs, random } = this.options;
    const asked = (error.cause as { retryAfterMs?: number } | undefined)?.retryAfterMs;
    return asked ?? Math.min(waitMaxMs, waitMinMs * 2 ** Math.min(failures, 30) * (1 + random() / 4));
  }

  async #once(attempt: Attempt): Promise<string> {
    const { what, method, url, timeoutMs, retryConflict } = attempt;
    const { signal } = this.options;
    let answer: { status: number; headers: Dispatcher.ResponseData['headers']; text: string };
    try {
      answer = await (timeoutMs === null
        ? withProgress(STILL_MS, 'nothing was taken', signal, (both, moved) => this.#exchange(attempt, both, moved))
        : withDeadline(timeoutMs, signal, (both) => this.#exchange(attempt, both)));
    } catch (cause) {
      if (signal.aborted) throw cause;
      const place = cause instanceof DeadlineError ? `${what} (${method} ${url.split('?')[0]})` : what;
      throw this.#unreachable(place, cause as NodeJS.ErrnoException);
    }
    const { status, headers, text } = answer;
    if (status >= 200 && status < 300) return text;
    const mayRetry = !FINAL.includes(status) || (status === 409 && retryConflict === true);
    const message = `W&B answered ${what} with status ${status}: ${text.slice(0, QUOTED).trim()}`;
    const retryAfterMs = retryAfter(headers);
    throw new WandbError(this.#redacted(message), status, mayRetry, { cause: { retryAfterMs } });
  }

  async #exchange({ url, headers, method, body }: Attempt, signal: AbortSignal, moved?: () => void) {
    const content = body();
    if (moved && content instanceof Readable) content.on('data', moved).pause();
    // Undici's own timeouts are switched off, since they limit only the time between bytes: they would never end an answer that
    // arrives byte by byte.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    const options = { method, headers, body: content, signal, ...limits, dispatcher: this.#dispatcher };
    const response = await undici().request(url, options);
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  }

  #unreachable(what: string, cause: NodeJS.ErrnoException): WandbError {
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|SSL|TLS/.test(cause.code ?? '');
    const isFile = ['ENOENT', 'EACCES', 'EISDIR'].includes(cause.code ?? '') && cause.syscall === 'open';
    const reason = cause.message || cause.code || 'no connection';
    return new WandbError(this.#redacted(`${what}: ${reason}`), null, !isCertificate && !isFile);
  }

  #json<T>(text: string, what: string): T {
    try {
      return JSON.parse(text) as T;
    } catch {
      // An answer that is not JSON may be the page of a proxy, so that its beginning is quoted.
      throw new WandbError(this.#redacted(`W&B answered ${what} with no JSON: ${text.slice(0, QUOTED)}`), 200, true);
    }
  }

  #redacted(text: string): string {
    const { key } = this.options;
    return text.replaceAll(key, '***').replaceAll(Buffer.from(`api:${key}`).toString('base64'), '***');
  }
}

/** In milliseconds. The header has seconds, possibly with a fraction, or a date by the server's clock; else undefined. */
function retryAfter({ 'retry-after': header, date }: Dispatcher.ResponseData['headers']): number | undefined {
  const text = [header].flat()[0]?.trim() ?? '';
  if (text === '') return undefined;
  const seconds = Number(text);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(text) - Date.parse(String(date)) : 1000 * seconds;
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
