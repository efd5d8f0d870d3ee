// Defines the error for an endpoint that a recording proxy calls and that does not answer, or whose answer cannot be read.

/** Error codes of Node's sockets and of its `fetch` that mean a timeout. */
const TIMEOUTS = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  private constructor(
    message: string,
    /** The HTTP status for the agent: 502, or 504 if the endpoint took too long. */
    readonly status: 502 | 504,
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  /** Makes the error for an endpoint that does not answer in time or at all. @param asked method and address of the request */
  static unreachable(asked: string, error: unknown): UpstreamError {
    if (isTimeout(error)) return UpstreamError.#late(asked, error);
    const remedy = 'see that the endpoint runs, and that upstream is its base URL';
    return new UpstreamError(`${asked}: the endpoint cannot be reached (${reasonOf(error)})\n  ${remedy}`, 502, error);
  }

  static broken(asked: string, error: unknown): UpstreamError {
    if (isTimeout(error)) return UpstreamError.#late(asked, error);
    return new UpstreamError(`${asked}: the answer broke off (${reasonOf(error)})\n  ask again`, 502, error);
  }

  static unreadable(asked: string, error: unknown): UpstreamError {
    const remedy = 'upstream is the base URL of an API of OpenAI or Anthropic, such as https://HOST/v1';
    return new UpstreamError(`${asked}: the answer cannot be read (${reasonOf(error)})\n  ${remedy}`, 502, error);
  }

  static #late(asked: string, error: unknown): UpstreamError {
    const message = `${asked}: the endpoint did not answer in time (${reasonOf(error)})\n  ask again, or see whether it is overloaded`;
    return new UpstreamError(message, 504, error);
  }
}

const isTimeout = (error: unknown): boolean => TIMEOUTS.includes(causeOf(error).code ?? '');

/** Returns the cause of a fetch error, since the error's own message `fetch failed` does not contain it. */
const causeOf = (error: unknown): { message?: string; code?: string } =>
  ((error as Error | null)?.cause ?? error ?? {}) as { message?: string; code?: string };

function reasonOf(error: unknown): string {
  const { message, code } = causeOf(error);
  return message || code || String(error);
}
