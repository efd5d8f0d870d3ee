/**
 * The error for an answer of another endpoint that is incomplete or cannot be recorded. The client gets the answer, and the
 * rollout fails.
 */
export class UnreadAnswerError extends Error {
  override readonly name = 'UnreadAnswerError';
}
