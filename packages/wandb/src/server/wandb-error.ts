/** An answer or a failure of W&B's server. Its message never contains the key. */
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

  /** Returns whether the key is not valid, or not any more. */
  get isAuthentication(): boolean {
    return this.status === 401 || this.status === 403;
  }
}
