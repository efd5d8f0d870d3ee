// Writes errors in the form of Anthropic's API.
// Source: docs.anthropic.com/en/api/errors.
import { excerpt } from '../../http/excerpt.js';
import type { Fault, FaultKind } from '../protocol.js';

const types: Readonly<Record<FaultKind, string>> = {
  invalid: 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  'not found': 'not_found_error',
  'too large': 'request_too_large',
  'too many': 'rate_limit_error',
  overloaded: 'overloaded_error',
  server: 'api_error',
};

/** The most characters of an error message, which must not repeat a long input. */
const LONGEST_ERROR = 1000;

/**
 * Clients look for the words `prompt is too long`, and for the code of a refused thread, after which Anthropic's tool runner
 * sends all messages itself (anthropic-sdk-typescript 1.14, lib/internal/threads/ThreadState.ts).
 */
export function messagesError({ kind, status, message, param, code }: Fault): object {
  const words = code === 'context_length_exceeded' ? `prompt is too long: ${message}` : message;
  const type = status === 504 ? 'timeout_error' : types[kind];
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };
  return {
    type: 'error',
    error: { type, message: excerpt(words, LONGEST_ERROR), ...(param === 'thread' && { details }) },
  };
}
