// Decides which failed requests may be retried without a second execution, and after how long.
import type { Rng } from '@bowyer/core';
import type { HttpError } from './http-error.js';

export interface RetryOptions {
  /** The number of attempts after the first one. */
  retries: number;
  /** The largest wait before the first retry in milliseconds. It doubles with each retry. */
  backoffMs: number;
  /** The largest wait of all retries in milliseconds. */
  maxBackoffMs: number;
  /** The longest Retry-After in milliseconds that is obeyed; a longer one makes the request fail. */
  maxRetryAfterMs: number;
}

const GATEWAY_FAILURES = [502, 503, 504];

/**
 * Returns whether a request may be sent again: if it was not processed, since it was never sent or was postponed (429, or 503
 * with Retry-After), or if a second execution has no further effect.
 */
export function mayRetry({ failure, status }: HttpError, idempotent: boolean, retryAfterMs: number | null): boolean {
  if (failure === 'unreachable' || status === 429) return true;
  if (status === 503 && retryAfterMs !== null) return true;
  return (
    idempotent && (failure === 'interrupted' || failure === 'unanswered' || GATEWAY_FAILURES.includes(status ?? 0))
  );
}

/** Draws a wait in milliseconds between b / 2 and b, with b = min(backoffMs · 2^(attempt − 1), maxBackoffMs). */
export function backoff(attempt: number, { backoffMs, maxBackoffMs }: RetryOptions, rng: Rng): number {
  const bound = Math.min(backoffMs * 2 ** (attempt - 1), maxBackoffMs);
  return (bound * (1 + rng.uniform())) / 2;
}

/**
 * Parses the header Retry-After to milliseconds: seconds or a date (RFC 9110, 10.2.3); null for anything else.
 *
 * @param date the answer's `Date`, since this machine's clock may be wrong
 */
export function retryAfter(header: string | undefined, date?: string): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const milliseconds = Date.parse(text) - Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
