/** A request that contradicts the state of its rollout. */
export class RolloutStateError extends Error {
  override readonly name: string = 'RolloutStateError';
}

/** There is no such rollout. */
export class UnknownRolloutError extends RolloutStateError {
  override readonly name = 'UnknownRolloutError';
}
