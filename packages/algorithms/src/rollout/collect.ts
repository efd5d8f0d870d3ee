// Plays many episodes at the same time and turns them into trajectories.
import { episodicReturn, hash32, maximum, mean, minimum, Rng, standardError, type Trajectory } from '@bowyer/core';
import { HttpError, playEpisodes, type Env, type Split } from '@bowyer/envs';
import type { Metrics, OnFailure, OpenPlayer, PlayOptions, RunHooks } from '../types.js';
import { segmentsOf, type TurnTokens } from './turn-tokens.js';

/** What episodes are played with, besides a player. */
export interface PlayContext {
  /** An environment that plays items of the split alone. Null for a run without an environment, which cannot play. */
  makeEnv: ((split: Split) => Env) | null;
  hooks: Pick<RunHooks, 'progress'>;
  onFailure?: OnFailure;
}

/** One iteration's rollout. Seeds follow from the run's seed and the episode's number alone. */
export function collect(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: PlayOptions & { rolloutSize: number },
): Promise<Trajectory[]> {
  const { rolloutSize } = options;
  return play(run, openPlayer, options, {
    purpose: 'rollout',
    split: 'train',
    firstEpisode: iteration * rolloutSize,
    episodes: rolloutSize,
  });
}

/** A set of episodes. */
export interface PlayedSet {
  /** Names the set in seeds, metrics and messages. */
  purpose: string;
  split: Split;
  firstEpisode: number;
  episodes: number;
}

/**
 * Plays `episodes` episodes numbered from `firstEpisode`. The seeds of an episode (for its environment and for sampling) follow from
 * the run's seed, `purpose` and the episode's number, so two purposes never play the same episodes.
 *
 * @returns the episodes that did not fail, in order
 * @throws the first failure, as soon as more than `maxFailureShare` of the episodes failed
 */
export async function play(
  { makeEnv, hooks, onFailure }: PlayContext,
  openPlayer: OpenPlayer,
  { seed, slots, sampling, maxFailureShare = 0.5 }: PlayOptions,
  { purpose, split, firstEpisode, episodes }: PlayedSet,
): Promise<Trajectory[]> {
  if (makeEnv === null) throw new Error(`no ${purpose} episodes can be played: this run has no environment`);
  const seeds = Array.from({ length: episodes }, (_, i) => hash32(`${seed}/${purpose}/${firstEpisode + i}`));
  const rngs = seeds.map((episodeSeed) => Rng.forPurpose(episodeSeed, 'sampling'));
  const trajectories = new Array<Trajectory>(episodes);
  const failures: Error[] = [];
  const player = await openPlayer(sampling);
  let done = 0;
  try {
    const played = await playEpisodes<TurnTokens>({
      makeEnv: () => makeEnv(split),
      slots,
      episodes,
      seeds: (episode) => seeds[episode],
      // A rollout draws its items; an evaluation covers them evenly.
      reset: (episode) => (split === 'train' ? {} : { episode: firstEpisode + episode }),
      act: (ready) => player.act(ready.map((turn) => ({ ...turn, rng: rngs[turn.episode] }))),
      onEpisode: ({ episode, item, turns, error }) => {
        if (error) {
          failures.push(error);
          onFailure?.(error, `${purpose} episode ${firstEpisode + episode}`);
          return checkFailures(failures, maxFailureShare, { purpose, episodes });
        }
        trajectories[episode] = {
          episode: firstEpisode + episode,
          seed: seeds[episode],
          ...(item !== undefined && { item }),
          transitions: turns.map(({ info: _, data: _tokens, ...transition }) => transition),
          infos: turns.map(({ info }) => info),
          segments: segmentsOf(turns.map(({ data }) => data)),
        };
        hooks.progress(purpose, ++done, episodes);
      },
    });
    // Includes episodes that were never played because every environment was retired.
    checkFailures(
      played.flatMap(({ error }) => error ?? []),
      maxFailureShare,
      { purpose, episodes },
    );
  } finally {
    await player.close();
  }
  return trajectories.filter(() => true);
}

/** A failure ends its own episode. When too many fail, the rest no longer represents the task. */
function checkFailures(
  failures: readonly Error[],
  maxFailureShare: number,
  { purpose, episodes }: { purpose: string; episodes: number },
): void {
  if (failures.length <= maxFailureShare * episodes) return;
  // An open circuit does not report why the server failed.
  const first = failures.find((error) => !(error instanceof HttpError && error.failure === 'circuit')) ?? failures[0];
  throw new Error(
    `${failures.length} of ${episodes} episodes (${purpose}) failed, more than max_failure_share ${maxFailureShare} allows\n` +
      `  the first: ${first.message}`,
    { cause: first },
  );
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
