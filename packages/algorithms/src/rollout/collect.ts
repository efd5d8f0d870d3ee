// Plays many episodes at the same time: the rollout of an iteration, an evaluation or a test.
import { hash32, oneRank, Rng, type Ranks, type Trajectory } from '@bowyer/core';
import { EnvContractError, HttpError, playEpisodes, type Env, type PlayedEpisode, type Split } from '@bowyer/envs';
import { failureReasons, reasonKey, SHOWN_REASONS } from './failure-reasons.js';
import type { OnFailure, RunHooks } from './run-hooks.js';
import type { OpenPlayer, PlayOptions } from './player.js';
import { InterruptedError, unlessInterrupted } from './interrupted.js';
import { horizonAt, withHorizon, type Horizon } from './horizon.js';
import type { ReplayPlacement } from './replay.js';
import { segmentsOf, type TurnTokens } from './turn-tokens.js';

/** Everything except the player that is needed to play episodes. */
export interface PlayContext {
  /** Makes an environment that plays only items of the split. Null for a run without an environment, which cannot play. */
  makeEnv: ((split: Split) => Env) | null;
  /** Plays a set by itself, in place of `makeEnv` and a player, as for agent programs that call a server of the policy. */
  playSet?: PlaySet;
  /** Name of the environment, for messages. */
  environment?: string;
  hooks: Pick<RunHooks, 'progress' | 'interrupted'>;
  /** Whether the play of a set ends with `InterruptedError` when the user asks to stop; if not, each set is played to its end. */
  givesUp?: boolean;
  onFailure?: OnFailure;
  onSetEnd?: () => void;
  /** Whether a failed episode that is kept with a configured reward counts for `maxFailureShare`; false if not given. */
  limitsCounted?: boolean;
  /** Whether to wait until all slots are ready before acting; see `playEpisodes`. */
  together?: boolean;
  /** The processes that divide the episodes among them; a single process if not given. */
  ranks?: Ranks;
  /** Which rank stores a replayed turn, if there are several ranks. */
  replayPlacement?: ReplayPlacement;
  /**
   * Opens the player of rollouts in place of the policy's own, such as a server with a copy of the policy. Evaluations do not use
   * it.
   */
  openRollouts?: OpenPlayer;
  /** Plays rollouts ahead of the iterations that learn from them; if not given, each is played when its iteration begins. */
  rollouts?: RolloutsAhead;
  /** Called with every rollout before the policy is trained on it, for instance `Diagnostics.onRollout`. */
  onRollout?: (rollout: readonly Trajectory[], iteration: number) => Promise<void>;
  /** Receives the episodes of every evaluation. The algorithm adds its estimates to them later, before the metrics are logged. */
  onEvaluation?: (episodes: readonly Trajectory[]) => void;
}

/** Plays rollouts ahead of the iterations that learn from them, with weights that may be older. */
export interface RolloutsAhead {
  take(iteration: number, plan: RolloutPlan): Promise<Trajectory[]>;
}

/** How the rollouts of a run are played. Only the context differs between calls. */
export interface RolloutPlan {
  context: PlayContext;
  options: CollectOptions;
  groupSize: number;
}

export interface CollectOptions extends PlayOptions {
  rollout: {
    size: number;
    /** The most turns of an episode, by iteration; null or absent for the environment's own limit. */
    horizon?: Horizon | null;
  };
}

/** Groups of episodes of the same task, which are compared with each other. */
export interface GroupOptions {
  /** The number of episodes in a group: they share the environment's seed, and their sampling seeds differ. 1 if not given. */
  groupSize?: number;
}

/** A set of episodes that are played together: a rollout, an evaluation or a test. */
export interface PlayedSet {
  /** The name of the set of episodes in seeds, metrics and messages, such as `rollout`, `eval` or `test`. */
  purpose: string;
  split: Split;
  firstEpisode: number;
  episodes: number;
}

/**
 * Plays a set of episodes without a player. An episode that fails is reported and omitted.
 *
 * @throws {InterruptedError} when the set is interrupted
 */
export type PlaySet = (set: GroupOptions & PlayedSet, options: PlayOptions, watch: SetWatch) => Promise<Trajectory[]>;

/** Receives the events of a set that `PlaySet` plays. */
export interface SetWatch {
  played(): void;
  /**
   * `counts`: whether the failed episode is kept, with the configured reward of failures.
   *
   * @throws as soon as more than `maxFailureShare` of the episodes failed
   */
  failed(error: Error, episode: number, counts?: boolean): void;
  /** True once the user asks to stop, if the set can be played again: the `PlaySet` function then throws `InterruptedError`. */
  readonly givenUp: boolean;
}

/**
 * Collects one iteration's rollout. Seeds depend only on the run's seed and the episode's number.
 *
 * @throws {InterruptedError} where the user asks to stop; the iteration has then not changed the policy
 */
export function collect(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: CollectOptions,
  groups: GroupOptions = {},
): Promise<Trajectory[]> {
  const { size } = options.rollout;
  const episodes = { ...groups, firstEpisode: iteration * size, episodes: size };
  return collectEpisodes({ ...run, givesUp: true }, openPlayer, iteration, options, episodes);
}

/** Collects episodes of an iteration, numbered from `firstEpisode`. The group of an episode is ⌊its number / `groupSize`⌋. */
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
  if (run.playSet === undefined) checkGroups(trajectories, run.environment);
  await run.onRollout?.(trajectories, iteration);
  return trajectories;
}

/** Plays episodes of an iteration, with the largest number of turns that the iteration allows. */
export function playRollout(
  run: PlayContext,
  openPlayer: OpenPlayer,
  iteration: number,
  options: CollectOptions,
  episodes: GroupOptions & { firstEpisode: number; episodes: number },
): Promise<Trajectory[]> {
  const context = { ...run, makeEnv: withHorizon(run.makeEnv, horizonAt(options.rollout.horizon, iteration)) };
  return play(context, openPlayer, options, { purpose: ROLLOUT, split: 'train', ...episodes });
}

/** The name by which seeds and messages refer to the episodes that are learned from. */
export const ROLLOUT = 'rollout';

/** Checks that the episodes of a group begin with the same state. @throws where they do not, since their returns could not be compared */
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
          '  use an environment whose reset follows its seed, or algorithm.rollout.group_size=1',
      );
  }
}

/**
 * Each rank plays a share of `episodes` episodes and receives those of all ranks.
 *
 * @returns the episodes that did not fail, in order
 * @throws the first failure, as soon as more than `maxFailureShare` of the episodes failed
 */
export function play(
  context: PlayContext,
  openPlayer: OpenPlayer,
  options: PlayOptions,
  set: GroupOptions & PlayedSet,
): Promise<Trajectory[]> {
  return playAll(context, openPlayer, options, set).finally(() => context.onSetEnd?.());
}

async function playAll(
  context: PlayContext,
  openPlayer: OpenPlayer,
  options: PlayOptions,
  set: GroupOptions & PlayedSet,
): Promise<Trajectory[]> {
  const { ranks = oneRank, hooks } = context;
  const { purpose, episodes } = set;
  if (context.playSet !== undefined) return playByItself(context, context.playSet, options, set);
  if (ranks.size === 1) return (await playShare(context, openPlayer, options, set, { rank: 0, size: 1 })).played;
  const share = { rank: ranks.rank, size: ranks.size };
  // A player may call the critic. While a rank plays its own episodes, that call must not wait for other ranks.
  const own = await ranks.apart(() => unlessInterrupted(playShare(context, openPlayer, options, set, share)));
  await ranks.barrier();
  const all = ranks.gather(own).map((one) => {
    if (one === null) throw new InterruptedError(purpose);
    return one;
  });
  hooks.progress(purpose, episodes, episodes);
  const failures = all.flatMap(({ failures }) => failures);
  checkFailures(failures, options.maxFailureShare ?? DEFAULT_FAILURE_SHARE, { purpose, episodes });
  return all.flatMap(({ played }) => played).sort((a, b) => a.episode - b.episode);
}

/** Returns the episodes that did not fail, in order. */
async function playByItself(
  { ranks = oneRank, hooks, onFailure, givesUp = false, limitsCounted = false }: PlayContext,
  playSet: PlaySet,
  options: PlayOptions,
  set: GroupOptions & PlayedSet,
): Promise<Trajectory[]> {
  const { purpose, episodes } = set;
  if (ranks.size > 1)
    throw new Error(`${purpose}: a set that plays by itself is played by one process, not ${ranks.size}`);
  const failures: Error[] = [];
  let done = 0;
  hooks.progress(purpose, 0, episodes);
  const trajectories = await playSet(set, options, {
    played: () => hooks.progress(purpose, ++done, episodes),
    failed(error, episode, counts = false) {
      onFailure?.(error, `${purpose} episode ${episode}`, counts);
      if (counts && !limitsCounted) return;
      failures.push(error);
      checkFailures(failures, options.maxFailureShare ?? DEFAULT_FAILURE_SHARE, { purpose, episodes });
    },
    get givenUp() {
      return givesUp && hooks.interrupted === true;
    },
  });
  return trajectories.sort((a, b) => a.episode - b.episode);
}

export const DEFAULT_FAILURE_SHARE = 0.5;

/** Computes the seed of an episode: of its sampled tokens, and, for the first episode of a group, of its environment. */
export const episodeSeed = (seed: number, purpose: string, episode: number): number =>
  hash32(`${seed}/${purpose}/${episode}`);

export const samplingRng = (seed: number): Rng => Rng.forPurpose(seed, 'sampling');

/**
 * The seeds of an episode (for its environment and for sampling) follow from the run's seed, `purpose` and its number, so two
 * purposes never play the same episodes. The episodes of a group have the first one's seed of the environment.
 */
async function playShare(
  { makeEnv, hooks, onFailure, together, givesUp = false }: PlayContext,
  openPlayer: OpenPlayer,
  { seed, slots, sampling, maxFailureShare = DEFAULT_FAILURE_SHARE }: PlayOptions,
  { purpose, split, firstEpisode, episodes, groupSize = 1 }: GroupOptions & PlayedSet,
  { rank, size }: Pick<Ranks, 'rank' | 'size'>,
): Promise<{ played: Trajectory[]; failures: Error[] }> {
  if (makeEnv === null) throw new Error(`no ${purpose} episodes can be played: this run has no environment`);
  const seeds = Array.from({ length: episodes }, (_, i) => episodeSeed(seed, purpose, firstEpisode + i));
  const rngs = seeds.map(samplingRng);
  const envSeeds = seeds.map((_, i) => seeds[i - (i % groupSize)]);
  // Episodes are distributed to the ranks round-robin, so that each rank gets a similar number of long ones.
  const own = seeds.map((_, i) => i).filter((i) => i % size === rank);
  const trajectories = new Array<Trajectory>(episodes);
  const failures: Error[] = [];
  hooks.progress(purpose, 0, episodes);
  const player = await openPlayer(sampling);
  let done = 0;
  try {
    const played = await playEpisodes<TurnTokens>({
      makeEnv: () => makeEnv(split),
      slots,
      together,
      asksExpert: player.asksExpert,
      episodes: own.length,
      seeds: (i) => envSeeds[own[i]],
      // In rollouts the environment draws its items; evaluations cover them evenly.
      reset: (i) => (split === 'train' ? {} : { episode: firstEpisode + own[i] }),
      act: (ready) => {
        if (givesUp && hooks.interrupted) throw new InterruptedError(purpose);
        hooks.progress(purpose, done * size, episodes);
        return player.act(ready.map((turn) => ({ ...turn, rng: rngs[own[turn.episode]] })));
      },
      onEpisode: (played) => {
        const { error } = played;
        const episode = own[played.episode];
        if (error) {
          failures.push(error);
          onFailure?.(error, `${purpose} episode ${firstEpisode + episode}`);
          return checkFailures(failures, maxFailureShare, { purpose, episodes });
        }
        trajectories[episode] = trajectoryOf(played, firstEpisode + episode, groupSize);
        // The progress of all ranks is extrapolated from this one; the last episode is reported when all ranks have finished.
        if (++done * size < episodes || size === 1) hooks.progress(purpose, done * size, episodes);
      },
    });
    // The errors include those of episodes that were never played, since every slot's environment had failed too often.
    const broken = played.flatMap(({ error }) => error ?? []);
    checkFailures(broken, maxFailureShare, { purpose, episodes });
    return { played: trajectories.filter(() => true), failures: broken };
  } finally {
    await player.close();
  }
}

/** Makes the trajectory of a played episode. `episode`: its number among all of the purpose. */
export function trajectoryOf(
  { seed, item, task, turns }: PlayedEpisode<TurnTokens>,
  episode: number,
  groupSize: number,
): Trajectory {
  return {
    episode,
    seed,
    ...(item !== undefined && { item }),
    ...(task !== undefined && { task }),
    ...(groupSize > 1 && { group: Math.floor(episode / groupSize) }),
    transitions: turns.map(({ info: _, data: _tokens, ...transition }) => transition),
    infos: turns.map(({ info }) => info),
    segments: segmentsOf(turns.map(({ data }) => data)),
  };
}

/**
 * Throws when too many episodes failed, since the others no longer represent the task; at once where an environment breaks its
 * contract.
 */
export function checkFailures(
  failures: readonly Error[],
  maxFailureShare: number,
  { purpose, episodes }: { purpose: string; episodes: number },
): void {
  const broken = failures.find((error) => error instanceof EnvContractError);
  if (broken !== undefined) throw broken;
  if (failures.length <= maxFailureShare * episodes) return;
  // The error of an open circuit breaker does not say why the server failed, so another one is preferred.
  const first = failures.find((error) => !(error instanceof HttpError && error.failure === 'circuit')) ?? failures[0];
  const others = failureReasons(failures.filter((error) => reasonKey(error) !== reasonKey(first)));
  const lines = [
    `${failures.length} of ${episodes} episodes (${purpose}) failed, more than play.max_failure_share ${maxFailureShare} allows`,
    `  the first: ${first.message}`,
    ...others.slice(0, SHOWN_REASONS - 1).map((reason) => `  ${reason.episodes} for another reason: ${reason.message}`),
  ];
  throw new Error(lines.join('\n'), { cause: first });
}
