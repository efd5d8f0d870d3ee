// Computes a policy's line of the result table from its episodes.
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
