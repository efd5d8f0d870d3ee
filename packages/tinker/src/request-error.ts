// Defines the error for a request that its client can correct.

/** The error for a request that cannot be served in this form, so that the client should not repeat it. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError';

  /** @param status of HTTP, for errors that are found before the request has a future */
  constructor(
    message: string,
    readonly status: 400 | 404 | 409 | 410 | 413 | 429 = 400,
  ) {
    super(message);
  }
}
