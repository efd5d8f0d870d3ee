/** The error for a training request that its client must correct; the model is unchanged. */
export class TrainingRequestError extends Error {
  override readonly name = 'TrainingRequestError';
}
