// The reasons why a request is not served, in the categories that clients know.
import { AdapterError } from '@bowyer/models';
import { BadRequestError } from '@bowyer/serving';
import { TrainingRequestError } from './training/request-error.js';
import { MessageError } from './wire/field-table.js';

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

/** A failed request as its future reports it. */
export interface Failure {
  error: string;
  category: 'user' | 'server';
}

/** Errors of the parts below that say what the sender must change. */
const ofUsers = [RequestError, TrainingRequestError, BadRequestError, AdapterError, MessageError];

export const failureOf = (error: unknown): Failure =>
  error instanceof Error && ofUsers.some((type) => error instanceof type)
    ? { error: error.message, category: 'user' }
    : {
        error: `the server had an error: ${error instanceof Error ? error.message : String(error)}`,
        category: 'server',
      };
