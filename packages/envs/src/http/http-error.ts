// The error of a remote call: method, address, status and attempt are in the message and in fields of the error.

/**
 * The kind of failure. 'unreachable': the request was never sent. 'interrupted': it was sent, and whether the server has
 * processed it is unknown. 'status': an unexpected status. 'garbage': an answer that cannot be read. 'refused': an answer
 * with status 200 that reports an error. 'unanswered': an answer with status 200 and no content, such as an empty list of
 * choices: a fault of the server. 'circuit': not sent, because the circuit of this server is open after repeated failures.
 */
export type HttpFailure = 'unreachable' | 'interrupted' | 'status' | 'garbage' | 'refused' | 'unanswered' | 'circuit';

interface HttpErrorFields {
  failure: HttpFailure;
  method: string;
  url: string;
  /** The status of the answer; null if there was none. */
  status: number | null;
  /** The number of the attempt, from 1. */
  attempt: number;
  /** The text of the server, or the fault of the network. */
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
