/** An error of W&B's server or of the connection. Its message never contains the key. */
export class WandbError extends Error {
  override readonly name = 'WandbError';

  /** Describes a failure. @param status of HTTP; null: there was no answer */
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
