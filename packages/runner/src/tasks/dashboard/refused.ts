/** The error for a request of the dashboard's page that is refused; it has the HTTP status and the message of the response. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    readonly status: 400 | 401 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}
