/** An answer of another endpoint that is not complete, or has what a record cannot: its client has it, and the rollout a failure. */
export class UnreadAnswerError extends Error {
  override readonly name = 'UnreadAnswerError';
}
