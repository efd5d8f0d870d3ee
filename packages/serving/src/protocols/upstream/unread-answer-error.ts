/**
 * The error for an answer of another endpoint that is incomplete or cannot be recorded. The client still gets the answer, but the
 * rollout to which it belongs fails.
 */
export class UnreadAnswerError extends Error {
  override readonly name = 'UnreadAnswerError';
}
