// Converts an error to a fault: the description of a failed request, which each protocol reports in its own form.
import { GrammarError } from '@bowyer/text';
import { QueueFullError } from '../engine/sequence-batcher.js';
import { BadRequestError } from '../generation/request-error.js';
import { BodyError } from '../http/request-body.js';
import type { Fault } from '../protocols/protocol.js';

const RETRY_AFTER_S = 1;

export function faultOf(error: unknown): Fault {
  const plain = { param: null, code: null };
  if (error instanceof BodyError) {
    const { status, message, reason } = error;
    if (status === 503) return { kind: 'overloaded', status, message, ...plain, retryAfterS: RETRY_AFTER_S };
    return { kind: reason === 'too large' ? 'too large' : 'invalid', status, message, ...plain };
  }
  if (error instanceof BadRequestError) {
    const { message, param, code } = error;
    const isMissing = code === 'model_not_found' || code === 'not_found';
    const told = code === 'not_found' || code === 'unsupported' ? null : code;
    return { kind: isMissing ? 'not found' : 'invalid', status: isMissing ? 404 : 400, message, param, code: told };
  }
  // Unlike the other errors, this one occurs while the answer is sampled: the grammar takes too much work.
  if (error instanceof GrammarError) return { kind: 'invalid', status: 400, message: error.message, ...plain };
  if (error instanceof QueueFullError) {
    const message = `Too many requests: ${error.message}`;
    return { kind: 'too many', status: 429, message, ...plain, retryAfterS: RETRY_AFTER_S };
  }
  return { kind: 'server', status: 500, message: 'The server had an error while processing your request', ...plain };
}

export const isServerFault = ({ kind }: Fault): boolean => kind === 'server';
