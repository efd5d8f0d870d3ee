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
  /** The longest wait in milliseconds that a server may demand by Retry-After; if it demands more, the request fails. */
  maxRetryAfterMs: number;
}

const GATEWAY_FAILURES = [502, 503, 504];

/** A request may be sent again if it was not executed (never sent, status 429, or 503 with Retry-After) or is idempotent. */
export function mayRetry({ failure, status }: HttpError, idempotent: boolean, retryAfterMs: number | null): boolean {
  if (failure === 'unreachable' || status === 429) return true;
  if (status === 503 && retryAfterMs !== null) return true;
  return (
    idempotent && (failure === 'interrupted' || failure === 'unanswered' || GATEWAY_FAILURES.includes(status ?? 0))
  );
}

/** Draws from b / 2 to b = min(backoffMs · 2^(attempt − 1), maxBackoffMs) ms, so that clients retry at different times. */
export function backoff(attempt: number, { backoffMs, maxBackoffMs }: RetryOptions, rng: Rng): number {
  const bound = Math.min(backoffMs * 2 ** (attempt - 1), maxBackoffMs);
  return (bound * (1 + rng.uniform())) / 2;
}

/**
 * Converts the header Retry-After, which has seconds or a date (RFC 9110, 10.2.3), to milliseconds; null for anything else.
 * @param date the answer's header `Date`, from which a date is counted, since this machine's clock may be wrong
 */
export function retryAfter(header: string | undefined, date?: string): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const milliseconds = Date.parse(text) - Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
