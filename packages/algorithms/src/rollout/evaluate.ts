// Evaluates an agent on episodes that training never plays.
import { correlation, discountedReturns, mean, type Trajectory } from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import type { Metrics } from './run-hooks.js';
import type { OpenPlayer, PlayOptions } from './player.js';
import { episodeMetrics } from './episode-metrics.js';
import { play, type PlayContext } from './collect.js';
import { judgeEpisodes } from './turn-estimates.js';

export interface Evaluation {
  metrics: Metrics;
  trajectories: Trajectory[];
}

interface EvaluateOptions extends PlayOptions {
  eval: {
    size: number;
    decoding: Decoding | 'both';
  };
}

export type Decoding = 'sample' | 'greedy';

/** Lists the decodings of an evaluation; the first decides which agent is the best. */
export const decodingsOf = (decoding: Decoding | 'both'): readonly [Decoding, ...Decoding[]] =>
  decoding === 'both' ? ['sample', 'greedy'] : [decoding];

/**
 * Plays `eval.size` episodes; with `both` decodings twice, and the metrics of the greedy ones are named `eval_greedy/…`.
 *
 * @param purpose the set of episodes and its split: `eval` chooses the best policy of a run, `test` tests it
 */
export async function evaluate(
  run: PlayContext,
  openPlayer: OpenPlayer,
  { seed, slots, maxFailureShare, sampling, eval: { size, decoding } }: EvaluateOptions,
  purpose: 'eval' | 'test' = 'eval',
): Promise<Evaluation> {
  const [first, second] = decodingsOf(decoding);
  const playWith = (decoded: Decoding) =>
    play(
      run,
      openPlayer,
      { seed, slots, maxFailureShare, sampling: { ...sampling, greedy: decoded === 'greedy' } },
      { purpose, split: purpose, firstEpisode: 0, episodes: size },
    );
  const trajectories = await playWith(first);
  const metrics = episodeMetrics(trajectories, purpose);
  run.onEvaluation?.(trajectories);
  if (second !== undefined) Object.assign(metrics, episodeMetrics(await playWith(second), `${purpose}_${second}`));
  return { metrics, trajectories };
}

/** Compares the critic's min(Q₁, Q₂) with the discounted returns of the episodes, and stores its values with the turns. */
export async function criticCalibration(
  critic: DoubleCritic,
  trajectories: readonly Trajectory[],
  gamma: number,
): Promise<Metrics> {
  const returns = trajectories.flatMap((trajectory) =>
    discountedReturns(
      trajectory.transitions.map(({ reward }) => reward),
      gamma,
    ),
  );
  const values = await judgeEpisodes(critic, trajectories);
  return {
    'eval/q_mean': mean(values),
    'eval/discounted_return_mean': mean(returns),
    'eval/q_return_correlation': correlation(values, returns),
  };
}
