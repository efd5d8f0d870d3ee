// Decides which failed requests may be retried without executing them twice, and how long to wait before a retry.
import type { Rng } from '@bowyer/core';
import type { HttpError } from './http-error.js';

export interface RetryOptions {
  /** The largest number of attempts after the first one. */
  retries: number;
  /** The largest wait before the first retry in milliseconds. It doubles with each further retry. */
  backoffMs: number;
  /** The limit in milliseconds up to which the wait before a retry grows. */
  maxBackoffMs: number;
  /**
   * The longest wait in milliseconds that a server may demand by the header Retry-After; if it demands more, the request fails.
   */
  maxRetryAfterMs: number;
}

const GATEWAY_FAILURES = [502, 503, 504];

/**
 * Returns whether a request may be sent again: if it was not executed, since it was never sent or was postponed by the server
 * (status 429, or 503 with Retry-After), or if a second execution has no further effect.
 */
export function mayRetry({ failure, status }: HttpError, idempotent: boolean, retryAfterMs: number | null): boolean {
  if (failure === 'unreachable' || status === 429) return true;
  if (status === 503 && retryAfterMs !== null) return true;
  return (
    idempotent && (failure === 'interrupted' || failure === 'unanswered' || GATEWAY_FAILURES.includes(status ?? 0))
  );
}

/**
 * Draws a wait in milliseconds between b / 2 and b, with b = min(backoffMs · 2^(attempt − 1), maxBackoffMs), so that clients do
 * not retry at the same time.
 */
export function backoff(attempt: number, { backoffMs, maxBackoffMs }: RetryOptions, rng: Rng): number {
  const bound = Math.min(backoffMs * 2 ** (attempt - 1), maxBackoffMs);
  return (bound * (1 + rng.uniform())) / 2;
}

/**
 * Converts the header Retry-After, which has seconds or a date (RFC 9110, 10.2.3), to milliseconds; null for anything else.
 *
 * @param date the answer's header `Date`, to which a date in Retry-After is compared, since this machine's clock may be wrong
 */
export function retryAfter(header: string | undefined, date?: string): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const milliseconds = Date.parse(text) - Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
