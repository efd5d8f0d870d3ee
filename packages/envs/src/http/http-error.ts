// Defines the error of a failed HTTP request, with method, address, status and the number of the attempt.

/**
 * The kind of failure. 'unreachable': the request was never sent. 'interrupted': it was sent, and the server may have processed
 * it. 'status': the server answered with an error status. 'garbage': the answer cannot be parsed. 'refused': status 200 with a
 * reported error. 'unanswered': status 200 without content, such as an empty list of choices. 'circuit': the request was not
 * sent, because repeated failures opened the circuit breaker of this server.
 */
export type HttpFailure = 'unreachable' | 'interrupted' | 'status' | 'garbage' | 'refused' | 'unanswered' | 'circuit';

interface HttpErrorFields {
  failure: HttpFailure;
  method: string;
  url: string;
  status: number | null;
  attempt: number;
  /** The error text in the server's answer, or the description of the network error. */
  detail: string;
  cause?: unknown;
}

const LONGEST_DETAIL = 300;

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly failure: HttpFailure;
  readonly method: string;
  readonly url: string;
  readonly status: number | null;
  readonly attempt: number;
  readonly detail: string;

  constructor({ failure, method, url, status, attempt, detail, cause }: HttpErrorFields) {
    const shown = detail.length <= LONGEST_DETAIL ? detail : `${detail.slice(0, LONGEST_DETAIL)} …`;
    const answer = status === null ? '' : ` answered ${status}`;
    super(`${method} ${url}${answer} (attempt ${attempt}, ${failure}): ${shown}`, { cause });
    this.failure = failure;
    this.method = method;
    this.url = url;
    this.status = status;
    this.attempt = attempt;
    this.detail = detail;
  }
}
