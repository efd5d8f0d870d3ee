/** The error for a request that its sender must change: nothing was computed for it. */
export class TrainingRequestError extends Error {
  override readonly name = 'TrainingRequestError';
}
