import type { CompletionRequest } from '@bowyer/serving';
import type { RolloutOrigin } from '../record/recorded.js';

/** Returns the request with the rollout's fixed sampling settings; if the rollout has a seed, the request's is removed. */
export function settledRequest(
  request: CompletionRequest,
  { seed, sampling: { temperature, topP, topK } = {} }: Pick<RolloutOrigin, 'seed' | 'sampling'>,
): CompletionRequest {
  return {
    ...request,
    ...(seed !== undefined && { seed: null }),
    sampling: {
      ...request.sampling,
      ...(temperature !== undefined && { greedy: temperature === 0, temperature: temperature || 1 }),
      ...(topP !== undefined && { topP }),
      ...(topK !== undefined && { topK }),
    },
  };
}
