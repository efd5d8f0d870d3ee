// The error for a request that is not served because of something that its sender can change.

/** The error for a request that cannot be served in this form: a client should not send it again. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError';

  /** Describes what is wrong. @param status of HTTP, where it is found before the request has a future */
  constructor(
    message: string,
    readonly status: 400 | 404 | 409 | 410 | 413 | 429 = 400,
  ) {
    super(message);
  }
}
