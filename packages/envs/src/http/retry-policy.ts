// Decides which failures may be retried without doing anything twice, and how long to wait before.
import type { Rng } from '@bowyer/core';
import type { HttpError } from './http-error.js';

export interface RetryOptions {
  /** The number of attempts after the first. */
  retries: number;
  /** Milliseconds of the longest wait before the first retry; it doubles with each. */
  backoffMs: number;
  /** Milliseconds at which the doubling ends. */
  maxBackoffMs: number;
  /** Milliseconds; a server that asks for a longer wait by Retry-After counts as failed. */
  maxRetryAfterMs: number;
}

const GATEWAY_FAILURES = [502, 503, 504];

/**
 * Returns whether a request may be sent again. One that was never sent, or that the server postponed (429, or 503 with
 * Retry-After), was not processed, so that it may; any other only where a second execution changes nothing.
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
