// A request that is not served, for a reason that its sender can mend.

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
