import type { DoubleCritic } from '@bowyer/models';
import type { Metrics } from '../types.js';
import type { Pair } from './critic-targets.js';
import { summary } from './summary.js';

/**
 * Losses of the four heads, and their outputs before the step.
 *
 * @param targets the target critic's Q1 and Q2 that V1 and V2 regressed on
 */
export function headMetrics(
  result: Awaited<ReturnType<DoubleCritic['accumulateGradients']>>,
  [targetQ1, targetQ2]: Pair,
): Metrics {
  const { q1, q2, v1, v2 } = result;
  return {
    'losses/q1': result.q1Loss,
    'losses/q2': result.q2Loss,
    'losses/v1': result.v1Loss,
    'losses/v2': result.v2Loss,
    ...summary('critic/q1', q1),
    ...summary('critic/q2', q2),
    ...summary('critic/v1', v1),
    ...summary('critic/v2', v2),
    ...summary('critic/target_q1', targetQ1),
    ...summary('critic/target_q2', targetQ2),
  };
}
