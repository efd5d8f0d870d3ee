/** The error for a request that contradicts the state of its rollout, such as a model call after the rollout has ended. */
export class RolloutStateError extends Error {
  override readonly name: string = 'RolloutStateError';
}

/** The error for a request that names an unknown rollout. */
export class UnknownRolloutError extends RolloutStateError {
  override readonly name = 'UnknownRolloutError';
}
