// The reasons why a request is not served, in the categories that clients know.

/** The request cannot be served as it is: a client should not send it again. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError';

  /** @param status of HTTP, where it is found before the request has a future */
  constructor(
    message: string,
    readonly status: 400 | 404 | 409 | 410 | 413 | 429 = 400,
  ) {
    super(message);
  }
}

/** A failed request as its future reports it. */
export interface Failure {
  error: string;
  category: 'user' | 'server';
}

export const failureOf = (error: unknown): Failure =>
  error instanceof RequestError
    ? { error: error.message, category: 'user' }
    : { error: `the server had an error: ${error instanceof Error ? error.message : String(error)}`, category: 'server' };
