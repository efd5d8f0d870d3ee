// Defines the error for a request of the Tinker API that is wrong in a way that its client can correct.

/** The error for a request that cannot be served as it is, so that the client must not repeat it unchanged. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError';

  /** @param status the HTTP status, for errors that are found before the request gets a future */
  constructor(
    message: string,
    readonly status: 400 | 404 | 409 | 410 | 413 | 429 = 400,
  ) {
    super(message);
  }
}
