/** Another endpoint's answer is incomplete or cannot be recorded. The client still gets it, but its rollout fails. */
export class UnreadAnswerError extends Error {
  override readonly name = 'UnreadAnswerError';
}
