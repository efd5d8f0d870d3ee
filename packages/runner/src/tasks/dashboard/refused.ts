/** The error for a request of the page that is refused, with the status and the message of the answer. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: 400 | 401 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}
