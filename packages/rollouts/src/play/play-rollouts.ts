// Plays rollouts of a user's agents, which call the policy's server; each record is converted to an episode.
import {
  episodeSeed,
  InterruptedError,
  type GroupOptions,
  type PlayedSet,
  type PlayOptions,
  type PlaySet,
  type SetWatch,
} from '@bowyer/algorithms';
import { groupBy, hash32, type Trajectory } from '@bowyer/core';
import type { FixedSampling, RecordedRollout, RolloutOrigin } from '../record/recorded.js';
import { finalRewards, RANKING, REWARD } from '../trajectories/final-rewards.js';
import {
  checkAnswers,
  failedTrajectory,
  trajectoryOf,
  untokenizedTrajectory,
  type TrajectoryOptions,
} from '../trajectories/trajectory-of.js';
import { treeOf } from '../tree/build-tree.js';
import { reportVerdict, type VerdictSink } from './report-verdict.js';
import type { JudgeRollout, PlayedRollout, RankedRollout, RankGroup, RolloutAddress, RunAgent } from './run-agent.js';
import { Semaphore, type Permit } from './semaphore.js';
import { taskOf, type SplitTasks } from './tasks.js';

/** The server whose model the agents call, or a client of it. */
export interface RolloutHost extends VerdictSink {
  /** Begins a rollout. @param begun resolves when the rollout's calls may be answered */
  begin(rollout: RolloutOrigin, begun?: Promise<void>): Promise<RolloutAddress>;
  end(id: string, how: { status: 'ended' | 'failed'; reason?: string }): Promise<void>;
  /** Records that the policy has learned from the rollout, so that rewards which arrive later do not count. */
  learnt(id: string): Promise<void>;
  read(id: string): Promise<RecordedRollout>;
}

export interface RolloutPlayOptions extends Pick<TrajectoryOptions, 'decode' | 'masks'> {
  tasks: SplitTasks;
  run: RunAgent;
  /** Judges a rollout after its end; null if the agent reports its reward itself. */
  judge: JudgeRollout | null;
  /** Scores the rollouts of a group by comparing them when all have ended; absent if rollouts are judged only one by one. */
  rank?: RankGroup;
  attempts: number;
  /** The reward of a rollout that failed in every attempt; null: the rollout is omitted. */
  failedReward: number | null;
  /** The number of agents started beyond `slots` while others play, so that they are ready; their calls wait. 0 if not given. */
  startAhead?: number;
  sampling: FixedSampling;
  /** Whether the answers have token ids; those of another endpoint do not. True if not given. */
  hasTokens?: boolean;
  /** Receives the record of each rollout that has ended. */
  onRollout?: (rollout: RecordedRollout) => void;
}

/** Returns the function with which algorithms play a set of rollouts, of which `options.slots` play at the same time. */
export const rolloutPlayer =
  (host: RolloutHost, how: RolloutPlayOptions): PlaySet =>
  (set, options, watch) =>
    new SetOfRollouts(host, how, set, options, watch).play();

/** A rollout whose agent has ended, successfully or not. */
interface EndedRollout {
  rollout: PlayedRollout;
  episode: number;
  /** The error of the rollout's agent in the last attempt; null if the agent has succeeded. */
  failure: Error | null;
}

/** The interval in milliseconds at which the set checks whether the algorithm has given it up. */
const LOOK_MS = 100;

class SetOfRollouts {
  readonly #stop = new AbortController();
  readonly #played: Trajectory[] = [];
  /** Ended rollouts that wait until all rollouts of their groups have ended, since the judge compares groups. */
  readonly #unranked: EndedRollout[] = [];
  /** A suffix of rollout ids that distinguishes them from an earlier set of the same name, such as that of a killed run. */
  readonly #stamp = Date.now().toString(36);
  readonly #semaphore: Semaphore;
  #next = 0;

  constructor(
    private readonly host: RolloutHost,
    private readonly how: RolloutPlayOptions,
    private readonly set: GroupOptions & PlayedSet,
    private readonly options: PlayOptions,
    private readonly watch: SetWatch,
  ) {
    this.#semaphore = new Semaphore(options.slots);
  }

  async play(): Promise<Trajectory[]> {
    const { purpose, episodes } = this.set;
    const timer = setInterval(() => this.watch.givenUp && this.#stop.abort(new InterruptedError(purpose)), LOOK_MS);
    try {
      const atOnce = this.options.slots + (this.how.startAhead ?? 0);
      const lanes = Array.from({ length: Math.min(atOnce, episodes) }, () => this.#lane());
      const ended = await Promise.allSettled(lanes);
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
      await this.#rankGroups();
      return this.#played;
    } finally {
      clearInterval(timer);
    }
  }

  /** Plays rollouts until all of the set have begun. Several of these loops run at once; an error in one ends all. */
  async #lane(): Promise<void> {
    try {
      while (this.#next < this.set.episodes && !this.#stop.signal.aborted) await this.#episode(this.#next++);
    } catch (error) {
      this.#stop.abort(error);
    }
  }

  async #episode(index: number): Promise<void> {
    const episode = this.set.firstEpisode + index;
    let ended = null as EndedRollout | null;
    await this.#orFailed([episode], async () => {
      ended = await this.#attempts(episode);
      if (this.how.rank) this.#unranked.push(ended);
    });
    if (ended?.failure) this.watch.failed(ended.failure, episode, true);
  }

  /** Runs `work`. If it throws, these episodes count as failed, unless the set was aborted. */
  async #orFailed(episodes: readonly number[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      for (const episode of episodes)
        this.watch.failed(error instanceof Error ? error : new Error(String(error)), episode);
    }
  }

  async #attempts(episode: number): Promise<EndedRollout> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#attempt(episode, attempt);
      } catch (error) {
        this.#stop.signal.throwIfAborted();
        if (attempt >= this.how.attempts) throw error;
      }
  }

  async #attempt(episode: number, attempt: number): Promise<EndedRollout> {
    const permit = this.#semaphore.acquire();
    try {
      return await this.#withPermit(permit, episode, attempt);
    } finally {
      permit.release();
    }
  }

  async #withPermit(permit: Permit, episode: number, attempt: number): Promise<EndedRollout> {
    const rollout = await this.#begin(episode, attempt, permit);
    const { id } = rollout.open;
    const failure = await this.#run(rollout).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    await this.host.end(id, failure === null ? { status: 'ended' } : { status: 'failed', reason: failure.message });
    const { failedReward, attempts } = this.how;
    if (failure !== null) {
      if (failedReward === null || attempt < attempts || this.#stop.signal.aborted) throw failure;
      await this.host.reward(id, { name: REWARD, value: failedReward });
    } else await this.#judge(rollout);
    const ended = { rollout, episode, failure };
    if (!this.how.rank) await this.#learn(ended);
    else if (failure === null) await this.#recorded(rollout).then((own) => checkAnswers(own, treeOf(own)));
    return ended;
  }

  /** Reads the record of a rollout, and replaces its id by the rollout's name, which is equal in every run with the same seed. */
  async #recorded({ name, open }: PlayedRollout): Promise<RecordedRollout> {
    return { ...(await this.host.read(open.id)), id: name };
  }

  /** Converts an ended rollout to an episode for training. Rewards which arrive later do not count. */
  async #learn({ rollout, episode, failure }: EndedRollout): Promise<void> {
    await this.host.learnt(rollout.open.id);
    const recorded = await this.#recorded(rollout);
    this.how.onRollout?.(recorded);
    const options = this.#trajectoryOptions(rollout, episode);
    const { hasTokens = true } = this.how;
    this.#played.push(
      failure !== null
        ? failedTrajectory(recorded, treeOf(recorded), options)
        : hasTokens
          ? trajectoryOf(recorded, treeOf(recorded), options)
          : untokenizedTrajectory(recorded, options),
    );
    this.watch.played();
  }

  /** Lets the judge compare the rollouts of one group after another. If the judge fails for a group, its rollouts are omitted. */
  async #rankGroups(): Promise<void> {
    const { groupSize = 1 } = this.set;
    const inOrder = this.#unranked.sort((one, other) => one.episode - other.episode);
    const groups = groupBy(inOrder, ({ episode }) => Math.floor(episode / groupSize));
    for (const group of groups.values()) await this.#rank(group, this.how.rank!);
  }

  async #rank(group: readonly EndedRollout[], rank: RankGroup): Promise<void> {
    this.#stop.signal.throwIfAborted();
    const members: RankedRollout[] = [];
    for (const { rollout } of group) members.push({ task: rollout.task, recorded: await this.#recorded(rollout) });
    let scores: number[] = [];
    await this.#orFailed(
      group.map(({ episode }) => episode),
      async () => void (scores = await rank(members, this.#stop.signal)),
    );
    for (const [i, score] of scores.entries())
      await this.#orFailed([group[i].episode], () => this.#learnRanked(group[i], members[i], score));
  }

  async #learnRanked(ended: EndedRollout, { recorded }: RankedRollout, score: number): Promise<void> {
    const { [REWARD]: own = 0 } = finalRewards(recorded);
    await reportVerdict(this.host, ended.rollout.open.id, { components: { [RANKING]: score }, reward: own + score });
    await this.#learn(ended);
  }

  async #begin(episode: number, attempt: number, { begun }: Permit): Promise<PlayedRollout> {
    const { purpose, split, groupSize = 1 } = this.set;
    const group = Math.floor(episode / groupSize);
    const { seed } = this.options;
    const own = episodeSeed(seed, purpose, episode);
    const task = taskOf(this.how.tasks[split], { split, group, seed });
    const name = `${purpose}-${episode}.${attempt}`;
    const origin: RolloutOrigin = {
      id: `${name}-${this.#stamp}`,
      task: task.id,
      ...(groupSize > 1 && { group: `${purpose}-${group}` }),
      attempt,
      seed: attempt === 1 ? own : hash32(`${own}/attempt ${attempt}`),
      sampling: { ...this.how.sampling, ...(this.options.sampling.greedy && { temperature: 0 }) },
    };
    return { name, task, open: await this.host.begin(origin, begun), begun };
  }

  /** Runs the agent and then the judge of a rollout. @throws if the agent has failed or reports a failure */
  async #run(rollout: PlayedRollout): Promise<void> {
    const { id } = rollout.open;
    await reportVerdict(this.host, id, await this.how.run(rollout, this.#stop.signal));
    const { status, reason } = await this.host.read(id);
    if (status === 'failed') throw new Error(`the agent reported a failure: ${reason ?? 'without a reason'}`);
  }

  async #judge(rollout: PlayedRollout): Promise<void> {
    const { id } = rollout.open;
    const verdict = await this.how.judge?.(rollout, await this.host.read(id), this.#stop.signal);
    if (verdict) await reportVerdict(this.host, id, verdict);
  }

  #trajectoryOptions({ task }: PlayedRollout, episode: number): TrajectoryOptions {
    const { purpose, groupSize = 1 } = this.set;
    return {
      episode,
      seed: episodeSeed(this.options.seed, purpose, episode),
      ...(groupSize > 1 && { group: Math.floor(episode / groupSize) }),
      task: JSON.stringify(task),
      decode: this.how.decode,
      masks: this.how.masks,
    };
  }
}
