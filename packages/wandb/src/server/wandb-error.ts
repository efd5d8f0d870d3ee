/** An error of W&B's server or of the connection to it. Its message never contains the API key. */
export class WandbError extends Error {
  override readonly name = 'WandbError';

  /** @param status the HTTP status; null: the server did not answer */
  constructor(
    message: string,
    readonly status: number | null,
    readonly retryable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get isAuthentication(): boolean {
    return this.status === 401 || this.status === 403;
  }
}
