// Computes metrics of episodes, such as returns, lengths and win rates.
import { episodicReturn, maximum, mean, minimum, standardError, type Trajectory } from '@bowyer/core';
import type { Metrics } from './run-hooks.js';

const share = (infos: readonly Record<string, unknown>[], key: string) =>
  mean(infos.map((info) => (info[key] ? 1 : 0)));

/** Computes metrics of a set of episodes, named `prefix/…`. */
export function episodeMetrics(trajectories: readonly Trajectory[], prefix: string): Metrics {
  const returns = trajectories.map(episodicReturn);
  const infos = trajectories.flatMap((trajectory) => trajectory.infos);
  const metrics: Metrics = {
    [`${prefix}/episodic_return`]: mean(returns),
    [`${prefix}/episodic_return_standard_error`]: standardError(returns),
    [`${prefix}/episodic_return_max`]: maximum(returns),
    [`${prefix}/episodic_return_min`]: minimum(returns),
    [`${prefix}/episode_turns`]: mean(trajectories.map(({ transitions }) => transitions.length)),
    [`${prefix}/episodes`]: trajectories.length,
  };
  if (infos.some((info) => 'won' in info)) {
    metrics[`${prefix}/win_rate`] = share(
      trajectories.map((trajectory) => trajectory.infos.at(-1)!),
      'won',
    );
  }
  for (const key of ['invalid', 'repeated', 'tool', 'failed_call']) {
    if (infos.some((info) => key in info)) metrics[`${prefix}/${key}_share`] = share(infos, key);
  }
  return { ...metrics, ...componentMetrics(trajectories, prefix) };
}

/** Computes the mean of each number in `components` of an episode's last info, which a judge may set, over the episodes that have it. */
function componentMetrics(trajectories: readonly Trajectory[], prefix: string): Metrics {
  const figures = new Map<string, number[]>();
  for (const { infos } of trajectories)
    for (const [name, value] of Object.entries((infos.at(-1)?.components ?? {}) as Record<string, unknown>))
      if (typeof value === 'number') figures.set(name, [...(figures.get(name) ?? []), value]);
  return Object.fromEntries([...figures].map(([name, values]) => [`${prefix}/reward_${name}`, mean(values)]));
}

/** Computes metrics of an iteration's rollout. The mean negative log-probability of an utterance is an estimate of the policy's entropy. */
export function rolloutMetrics(trajectories: readonly Trajectory[]): Metrics {
  const utterances = trajectories.flatMap(({ segments }) => segments.flatMap((segment) => segment.utterances));
  return {
    ...episodeMetrics(trajectories, 'rollout'),
    'rollout/utterance_entropy': mean(utterances.map(({ logprobs }) => -logprobs.reduce((sum, lp) => sum + lp, 0))),
    'rollout/tokens': utterances.reduce((sum, { logprobs }) => sum + logprobs.length, 0),
  };
}
