/** The error for a request that contradicts the state of its rollout. */
export class RolloutStateError extends Error {
  override readonly name: string = 'RolloutStateError';
}

/** The error for a request with an unknown rollout. */
export class UnknownRolloutError extends RolloutStateError {
  override readonly name = 'UnknownRolloutError';
}
