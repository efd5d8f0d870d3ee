// Defines the error for a request that cannot be served, which each protocol reports in its own form.

/** The most characters of an error message, which must not repeat a client's long input. */
const LONGEST_MESSAGE = 1_000;

/** The most characters of a field's name in an error message. */
export const LONGEST_NAME = 80;

type RequestProblem =
  | 'context_length_exceeded'
  | 'model_not_found'
  | 'unknown_parameter'
  | 'previous_response_not_found'
  | 'not_found'
  | 'unsupported';

export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
  /** The request's field that caused the error. */
  readonly param: string | null;

  constructor(
    message: string,
    param: string | null = null,
    readonly code: RequestProblem | null = null,
  ) {
    super(shortened(message, LONGEST_MESSAGE));
    this.param = param === null ? null : shortened(param, LONGEST_NAME);
  }
}

export const shortened = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;

export const unknownModel = (asked: string, names: readonly string[]): BadRequestError =>
  new BadRequestError(
    `The model '${asked}' does not exist; this server has ${names.map((name) => `'${name}'`).join(', ')}`,
    'model',
    'model_not_found',
  );
