// Writes errors in the form of OpenAI's API.
// Source: platform.openai.com/docs/api-reference and guides/error-codes.
import { excerpt } from '../../http/excerpt.js';
import type { Fault, FaultKind } from '../protocol.js';

/** The most characters of an error message, which must not repeat a long input. */
const LONGEST_ERROR = 1000;

const types: Readonly<Record<FaultKind, string>> = {
  invalid: 'invalid_request_error',
  unauthorized: 'invalid_request_error',
  forbidden: 'invalid_request_error',
  'not found': 'invalid_request_error',
  'too large': 'invalid_request_error',
  'too many': 'rate_limit_error',
  overloaded: 'server_error',
  server: 'server_error',
};

const codes: Readonly<Partial<Record<FaultKind, string>>> = {
  unauthorized: 'invalid_api_key',
  'too large': 'too_large',
  'too many': 'rate_limit_exceeded',
};

export const openaiError = ({ kind, message, param, code }: Fault): object => ({
  error: { message: excerpt(message, LONGEST_ERROR), type: types[kind], param, code: code ?? codes[kind] ?? null },
});
