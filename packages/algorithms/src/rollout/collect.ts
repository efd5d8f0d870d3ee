// The rollout of an iteration, and the figures of episodes.
import { episodicReturn, maximum, mean, minimum, standardError, type Trajectory } from '@bowyer/core';
import type { Metrics } from './run-hooks.js';
import type { OpenPlayer } from './player.js';
import { horizonAt, withHorizon } from './horizon.js';
import { play, type CollectOptions, type GroupOptions, type PlayContext } from './play.js';

/**
 * One iteration's rollout. Seeds follow from the run's seed and the episode's number alone.
 *
 * @throws {InterruptedError} where the user asks to stop: nothing has been learned since the last iteration
 */
export function collect(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: CollectOptions,
  groups: GroupOptions = {},
): Promise<Trajectory[]> {
  const { rolloutSize } = options;
  return collectEpisodes({ ...run, givesUp: true }, openPlayer, iteration, options, {
    ...groups,
    firstEpisode: iteration * rolloutSize,
    episodes: rolloutSize,
  });
}

/** Episodes of an iteration, numbered from `firstEpisode`. A group is numbered by its first episode / `groupSize`. */
export async function collectEpisodes(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: CollectOptions,
  episodes: GroupOptions & { firstEpisode: number; episodes: number },
): Promise<Trajectory[]> {
  const { groupSize = 1 } = episodes;
  const trajectories = run.rollouts
    ? await run.rollouts.take(iteration, { context: run, options, groupSize })
    : await playRollout(run, run.openRollouts ?? openPlayer, iteration, options, episodes);
  checkGroups(trajectories, run.environment);
  await run.onRollout?.(trajectories, iteration);
  return trajectories;
}

/** Plays episodes of an iteration with the horizon that it has. */
export function playRollout(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: CollectOptions,
  episodes: GroupOptions & { firstEpisode: number; episodes: number },
): Promise<Trajectory[]> {
  const context = { ...run, makeEnv: withHorizon(run.makeEnv, horizonAt(options.horizon, iteration)) };
  return play(context, openPlayer, options, { purpose: ROLLOUT, split: 'train', ...episodes });
}

/** The purpose in seeds and messages of episodes that are learned from. */
export const ROLLOUT = 'rollout';

/** @throws if episodes of one group begin differently: their returns could not be compared */
function checkGroups(trajectories: readonly Trajectory[], environment = 'the environment'): void {
  const firstOf = new Map<number, Trajectory>();
  for (const trajectory of trajectories) {
    if (trajectory.group === undefined) return;
    const first = firstOf.get(trajectory.group) ?? trajectory;
    firstOf.set(trajectory.group, first);
    const [one, other] = [first, trajectory].map(({ transitions: [{ state, observation }] }) => state ?? observation);
    if (one !== other)
      throw new Error(
        `group ${trajectory.group} of ${environment}: episodes ${first.episode} and ${trajectory.episode} were reset with the ` +
          `same seed ${trajectory.seed} and begin differently, so their returns cannot be compared\n` +
          `  ${JSON.stringify(one.slice(0, 200))}\n  ${JSON.stringify(other.slice(0, 200))}\n` +
          '  use an environment whose reset follows its seed, or group_size=1',
      );
  }
}

/** Share of turns, or of episodes, whose info has a true `key`. */
const share = (infos: readonly Record<string, unknown>[], key: string) =>
  mean(infos.map((info) => (info[key] ? 1 : 0)));

/** Metrics of a set of episodes, named `prefix/…`. */
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
  for (const key of ['invalid', 'repeated']) {
    if (infos.some((info) => key in info)) metrics[`${prefix}/${key}_share`] = share(infos, key);
  }
  return metrics;
}

/** Metrics of an iteration's rollout. The mean negative log-probability of an utterance estimates the policy's entropy. */
export function rolloutMetrics(trajectories: readonly Trajectory[]): Metrics {
  const utterances = trajectories.flatMap(({ segments }) => segments.flatMap((segment) => segment.utterances));
  return {
    ...episodeMetrics(trajectories, 'rollout'),
    'rollout/utterance_entropy': mean(utterances.map(({ logprobs }) => -logprobs.reduce((sum, lp) => sum + lp, 0))),
    'rollout/tokens': utterances.reduce((sum, { logprobs }) => sum + logprobs.length, 0),
  };
}
