// The failures that may be tried again without doing anything twice, and the waits before that.
import type { Rng } from '@bowyer/core';
import type { HttpError } from './http-error.js';

export interface RetryOptions {
  /** Attempts after the first. */
  retries: number;
  /** Longest wait before the first retry, in milliseconds; it doubles with each. */
  backoffMs: number;
  /** Bound of the doubling, in milliseconds. */
  maxBackoffMs: number;
  /** A server that asks for a longer wait than this by Retry-After has failed, in milliseconds. */
  maxRetryAfterMs: number;
}

const GATEWAY_FAILURES = [502, 503, 504];

/**
 * A request that never left, and one that the server put off (429, or 503 with Retry-After), was not worked on:
 * it may be sent again whatever it does. Anything else only where a second execution changes nothing.
 */
export function mayRetry({ failure, status }: HttpError, idempotent: boolean, retryAfterMs: number | null): boolean {
  if (failure === 'unreachable' || status === 429) return true;
  if (status === 503 && retryAfterMs !== null) return true;
  return (
    idempotent && (failure === 'interrupted' || failure === 'unanswered' || GATEWAY_FAILURES.includes(status ?? 0))
  );
}

/** Between half of b and b, with b = min(backoffMs · 2^(attempt − 1), maxBackoffMs); in milliseconds. */
export function backoff(attempt: number, { backoffMs, maxBackoffMs }: RetryOptions, rng: Rng): number {
  const bound = Math.min(backoffMs * 2 ** (attempt - 1), maxBackoffMs);
  return (bound * (1 + rng.uniform())) / 2;
}

/**
 * Returns the header in milliseconds: a number of seconds or a date (RFC 9110, 10.2.3); null where it is neither.
 *
 * @param date the answer's header of that name: the clock of this machine may be wrong
 */
export function retryAfter(header: string | undefined, date?: string): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const milliseconds = Date.parse(text) - Date.parse(date ?? '');
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
