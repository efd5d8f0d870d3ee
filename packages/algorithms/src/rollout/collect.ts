// Plays many episodes at the same time and turns them into trajectories: the rollout of an iteration, and any other set of episodes.
import { hash32, oneRank, Rng, type Ranks, type Trajectory } from '@bowyer/core';
import { EnvContractError, HttpError, playEpisodes, type Env, type PlayedEpisode, type Split } from '@bowyer/envs';
import { failureReasons, reasonKey, SHOWN_REASONS } from './failure-reasons.js';
import type { OnFailure, RunHooks } from './run-hooks.js';
import type { OpenPlayer, PlayOptions } from './player.js';
import { InterruptedError, unlessInterrupted } from './interrupted.js';
import { horizonAt, withHorizon, type Horizon } from './horizon.js';
import type { ReplayPlacement } from './replay.js';
import { segmentsOf, type TurnTokens } from './turn-tokens.js';

/** Everything besides a player that episodes are played with. */
export interface PlayContext {
  /** An environment that plays items of the split alone. Null for a run without an environment, which cannot play. */
  makeEnv: ((split: Split) => Env) | null;
  /** Plays whole sets in place of `makeEnv` and of a player, such as programs that call a server of the policy. */
  playSet?: PlaySet;
  /** Name of the environment, for messages. */
  environment?: string;
  hooks: Pick<RunHooks, 'progress' | 'interrupted'>;
  /** Whether a set is given up with `InterruptedError` when the user asks to stop; if not given, each is played to its end. */
  givesUp?: boolean;
  onFailure?: OnFailure;
  /** Notes that a set has been played, or given up. */
  onSetEnd?: () => void;
  /** Whether failures that count with a reward are failures for `maxFailureShare` too; false if not given. */
  limitsCounted?: boolean;
  /** Whether to wait until all slots are ready before acting; see `playEpisodes`. */
  together?: boolean;
  /** The processes that divide the episodes among them; this one alone if not given. */
  ranks?: Ranks;
  /** The place in which replayed turns are stored, if there are several. */
  replayPlacement?: ReplayPlacement;
  /** Plays rollouts in place of the policy itself, such as a server with a copy of it, or its integers. Evaluations are the policy's own. */
  openRollouts?: OpenPlayer;
  /** Plays rollouts ahead of the iterations that learn from them; if not given, each is played when it is asked for. */
  rollouts?: RolloutSource;
  /** Receives every rollout before it is trained on, such as `Diagnostics` does. */
  onRollout?: (rollout: readonly Trajectory[], iteration: number) => Promise<void>;
  /** Receives the episodes of every evaluation; what the algorithm notes with them follows before its metrics are logged. */
  onEvaluation?: (episodes: readonly Trajectory[]) => void;
}

/** Plays rollouts ahead of the iterations that learn from them, with a policy that is not always the newest. */
export interface RolloutSource {
  /** Returns the rollout that an iteration learns from. */
  take(iteration: number, plan: RolloutPlan): Promise<Trajectory[]>;
}

/** How the rollouts of a run are played; the same at every call, but for the context. */
export interface RolloutPlan {
  context: PlayContext;
  options: CollectOptions;
  groupSize: number;
}

export interface CollectOptions extends PlayOptions {
  rollout: {
    /** Episodes per iteration. */
    size: number;
    /** Longest episode in turns, by iteration; null or absent: as long as the environment allows. */
    horizon?: Horizon | null;
  };
}

/** Several episodes of the same task, to be compared with each other. */
export interface GroupOptions {
  /** Episodes of a group: they share the environment's seed and differ in the sampling stream. 1 if not given. */
  groupSize?: number;
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
 * Plays a set of episodes by itself, numbered and grouped as the set says. An episode that fails is reported and left out.
 *
 * @throws {InterruptedError} once the set is given up
 */
export type PlaySet = (set: GroupOptions & PlayedSet, options: PlayOptions, watch: SetWatch) => Promise<Trajectory[]>;

/** The reports and questions of a set that plays by itself. */
export interface SetWatch {
  /** Notes that an episode has been played. */
  played(): void;
  /**
   * Notes that an episode has failed.
   *
   * @param counts whether the episode counts all the same, with the reward that failures have
   * @throws as soon as more than `maxFailureShare` of the episodes failed
   */
  failed(error: Error, episode: number, counts?: boolean): void;
  /** True once the user asks to stop and the set can be played again: it is given up with `InterruptedError`. */
  readonly givenUp: boolean;
}

/**
 * Collects one iteration's rollout. Seeds follow from the run's seed and the episode's number alone.
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
  const { size } = options.rollout;
  const episodes = { ...groups, firstEpisode: iteration * size, episodes: size };
  return collectEpisodes({ ...run, givesUp: true }, openPlayer, iteration, options, episodes);
}

/** Collects episodes of an iteration, numbered from `firstEpisode`. A group is numbered by its first episode / `groupSize`. */
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

/** Plays episodes of an iteration with the horizon that it has. */
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

/** The purpose in seeds and messages of episodes that are learned from. */
export const ROLLOUT = 'rollout';

/** Checks that episodes of one group begin alike. @throws where they do not: their returns could not be compared */
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

/**
 * Plays `episodes` episodes, each rank its share of them, and exchanges them: every rank gets all.
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
  // A player may call the critic, and within a rank's own episodes that call must not wait for other ranks.
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

/** Plays a set of episodes by `playSet`. @returns the episodes that did not fail, in order */
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

/** Computes the seed of an episode: the environment's in a group of one, and that of the stream that samples its tokens. */
export const episodeSeed = (seed: number, purpose: string, episode: number): number =>
  hash32(`${seed}/${purpose}/${episode}`);

export const samplingRng = (seed: number): Rng => Rng.forPurpose(seed, 'sampling');

/**
 * Plays one rank's share of `episodes` episodes, which are numbered from `firstEpisode`. The seeds of an episode (for its environment and
 * for sampling) follow from the run's seed, `purpose` and the episode's number, so two purposes never play the same episodes. Episodes of
 * a group have the environment's seed of the group's first one.
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
  // Episodes are dealt to the ranks in turn, so that each rank has as many long ones as the others.
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
      // A rollout draws its items; an evaluation covers them evenly.
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
        // The progress of all ranks is estimated from this one; the last episode is reported when all ranks have finished.
        if (++done * size < episodes || size === 1) hooks.progress(purpose, done * size, episodes);
      },
    });
    // Includes episodes that were never played because every environment was retired.
    const broken = played.flatMap(({ error }) => error ?? []);
    checkFailures(broken, maxFailureShare, { purpose, episodes });
    return { played: trajectories.filter(() => true), failures: broken };
  } finally {
    await player.close();
  }
}

/**
 * Makes the trajectory of a played episode.
 *
 * @param episode counts all episodes of the purpose
 */
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
 * Ends the run when too many episodes fail, since the rest no longer represents the task. An environment that breaks the contract ends it
 * at once: this is a mistake in its program, which affects other episodes too.
 */
export function checkFailures(
  failures: readonly Error[],
  maxFailureShare: number,
  { purpose, episodes }: { purpose: string; episodes: number },
): void {
  const broken = failures.find((error) => error instanceof EnvContractError);
  if (broken !== undefined) throw broken;
  if (failures.length <= maxFailureShare * episodes) return;
  // An open circuit does not report why the server failed.
  const first = failures.find((error) => !(error instanceof HttpError && error.failure === 'circuit')) ?? failures[0];
  const others = failureReasons(failures.filter((error) => reasonKey(error) !== reasonKey(first)));
  const lines = [
    `${failures.length} of ${episodes} episodes (${purpose}) failed, more than max_failure_share ${maxFailureShare} allows`,
    `  the first: ${first.message}`,
    ...others.slice(0, SHOWN_REASONS - 1).map((reason) => `  ${reason.episodes} for another reason: ${reason.message}`),
  ];
  throw new Error(lines.join('\n'), { cause: first });
}
