// Computes a policy's row in the table of results (metrics and their interval) from the episodes that it has played.
import { episodeMetrics } from '@bowyer/algorithms';
import { returnInterval, type PolicyResult, type TestedItems, type TestedPolicy } from './results.js';

export const policyResult = (
  { name, decoding, trajectories }: TestedPolicy,
  items: Pick<TestedItems, 'shared'>,
): PolicyResult => ({
  name,
  ...(decoding && { decoding }),
  metrics: episodeMetrics(trajectories, 'test'),
  interval: returnInterval(trajectories, items),
});
