/** The error for a request that its client must correct; nothing was computed for it. */
export class TrainingRequestError extends Error {
  override readonly name = 'TrainingRequestError';
}
