// Plays episodes continuously while the learner updates the policy: the learner takes finished episodes, and episodes that are
// being played continue with the new weights from their next turn. Source: Fu et al. 2025 (AReaL), arXiv:2505.24298, section 4.
// The result depends on timing.
import type { Rng, Trajectory } from '@bowyer/core';
import { streamEpisodes, type PlayedEpisode } from '@bowyer/envs';
import {
  ROLLOUT,
  checkFailures,
  DEFAULT_FAILURE_SHARE,
  episodeSeed,
  samplingRng,
  trajectoryOf,
  type RolloutPlan,
  type RolloutsAhead,
} from '../rollout/collect.js';
import type { TurnTokens } from '../rollout/turn-tokens.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { Collector } from './collector.js';
import type { LockStepSettings } from './lock-step-rollouts.js';
import { RolloutMeter, stalenessMetrics } from './rollout-meter.js';
import { StalenessQueue } from './staleness-queue.js';

/** The state of the stream of episodes in a checkpoint. Groups of episodes are numbered over the whole run. */
export interface StreamState {
  /** The first group that was never started. */
  next: number;
  /** Groups before `next` that were being played when the checkpoint was saved; the resumed run plays them again. */
  again: number[];
  /** Groups that were played, but that the learner has not yet taken. */
  finished: { group: number; version: number; items: readonly Trajectory[] }[];
}

/** Gives an algorithm the rollouts of one continuous stream of episodes. */
export class AsynchronousRollouts implements RolloutsAhead {
  readonly #meter = new RolloutMeter();
  #stream: EpisodeStream | null = null;
  #metrics: Metrics = {};
  #seconds: Record<string, number> = {};

  constructor(
    private readonly collector: Collector,
    private readonly settings: LockStepSettings,
    private readonly found: StreamState | null = null,
  ) {}

  async take(iteration: number, plan: RolloutPlan): Promise<Trajectory[]> {
    const stream = (this.#stream ??= new EpisodeStream(this.collector, this.settings, plan, this.#meter, this.found));
    // The load of the new weights is not awaited: a rollout may already be ready for the learner.
    void this.collector.load(iteration, await this.collector.snapshot()).then(() => stream.changed(), stream.fail);
    const groups = await this.#meter.waiting(stream.take(iteration));
    plan.context.onSetEnd?.();
    const rollout = groups.flat();
    const { milliseconds, learnerIdle, collectorIdle } = this.#meter.take();
    this.#seconds = { 'learner idle': learnerIdle / 1000, 'collector idle': collectorIdle / 1000 };
    this.#metrics = {
      ...stalenessMetrics(rollout, iteration),
      'rollout/queue_episodes': stream.waiting,
      'rollout/learner_idle_share': learnerIdle / milliseconds,
      'rollout/collector_idle_share': collectorIdle / milliseconds,
      'rollout/episodes_per_second': rollout.length / (milliseconds / 1000),
    };
    return rollout;
  }

  /** Metrics of the last rollout that the learner took, and of the time since the previous one. */
  takeMetrics(): Metrics {
    return this.#metrics;
  }

  /** Returns the seconds that learner and collector waited since the previous rollout. */
  takeSeconds(): Record<string, number> {
    return this.#seconds;
  }

  /** Returns the stream's state; null if nothing has been played. */
  get state(): StreamState | null {
    return this.#stream?.state ?? this.found;
  }

  async close(): Promise<void> {
    this.collector.close();
    this.#stream?.changed();
    await this.#stream?.ended;
  }
}

/** Plays all episodes of a run from one iteration on, as far as the staleness bound allows. */
class EpisodeStream {
  readonly ended: Promise<void>;
  readonly #queue: StalenessQueue<Trajectory>;
  readonly #first: StreamState;
  readonly #members = new Map<number, (Trajectory | null)[]>();
  readonly #failures = new Map<number, Error[]>();
  /** The number of groups that this stream has begun; `#groupAt` gives their order. */
  #begun = 0;
  #inPlay = 0;
  #failure: Error | null = null;
  #waiters: (() => void)[] = [];

  constructor(
    private readonly collector: Collector,
    private readonly settings: LockStepSettings,
    private readonly plan: RolloutPlan,
    private readonly meter: RolloutMeter,
    found: StreamState | null,
  ) {
    const perRollout = plan.options.rollout.size / plan.groupSize;
    this.#queue = new StalenessQueue({ perRollout, maxStaleness: settings.maxStaleness });
    this.#first = found ?? { next: settings.firstIteration * perRollout, again: [], finished: [] };
    for (const { group, version, items } of this.#first.finished) {
      this.#queue.begin(group, version);
      this.#queue.finish(group, items);
    }
    this.ended = this.#play().catch((error: Error) => this.fail(error));
  }

  get waiting(): number {
    return this.#queue.waiting * this.plan.groupSize;
  }

  get state(): StreamState {
    const { next, again } = this.#first;
    return {
      next: next + Math.max(0, this.#begun - again.length),
      again: [...this.#queue.playing, ...again.slice(this.#begun)].sort((a, b) => a - b),
      finished: this.#queue.finished,
    };
  }

  /** Resolves the promises of all callers that wait for a change of the queue, of the weights or of the stream's end. */
  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  /** Ends the stream with an error, which `take` throws. */
  readonly fail = (error: Error): void => {
    this.#failure ??= error;
    this.changed();
  };

  async take(iteration: number): Promise<(readonly Trajectory[])[]> {
    const { context, options } = this.plan;
    const { size } = options.rollout;
    for (;;) {
      if (this.#failure) throw this.#failure;
      const groups = this.#queue.take(iteration);
      context.hooks.progress(ROLLOUT, groups ? size : this.waiting, size);
      if (groups) return groups;
      await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  async #play(): Promise<void> {
    const { context, options, groupSize } = this.plan;
    const { makeEnv } = context;
    if (makeEnv === null) throw new Error('no rollout episodes can be played: this run has no environment');
    const { seed, slots, sampling, rollout } = options;
    const { next, again } = this.#first;
    const rngs = new Map<number, Rng>();
    const player = await this.collector.openPlayer(sampling);
    const episodes = again.length * groupSize + this.settings.iterations * rollout.size - next * groupSize;
    let ended = 0;
    try {
      const { lastError } = await streamEpisodes<TurnTokens>({
        slots,
        episodes,
        makeEnv: () => makeEnv('train'),
        admit: (i) => this.#admit(i),
        seeds: (i) => {
          rngs.set(i, samplingRng(episodeSeed(seed, ROLLOUT, this.#episodeAt(i))));
          return episodeSeed(seed, ROLLOUT, this.#groupAt(i) * groupSize);
        },
        act: (ready) => player.act(ready.map((turn) => ({ ...turn, rng: rngs.get(turn.episode)! }))),
        onEpisode: (played) => {
          ended++;
          rngs.delete(played.episode);
          this.#end(played);
        },
      });
      if (ended < episodes && !this.collector.isClosed && lastError) throw lastError;
    } finally {
      await player.close();
    }
  }

  /** Returns false if the i-th episode of this stream must not be played. */
  async #admit(i: number): Promise<boolean> {
    const group = this.#groupAt(i);
    for (;;) {
      if (this.collector.isClosed || this.#failure) return false;
      const { version } = this.collector;
      if (this.#queue.mayBegin(group, version)) {
        this.#queue.begin(group, version);
        this.#begun = Math.max(this.#begun, Math.floor(i / this.plan.groupSize) + 1);
        this.#occupy(1);
        return true;
      }
      await this.#change();
    }
  }

  /** Stores a finished episode; the last episode of a group finishes the group. */
  #end(played: PlayedEpisode<TurnTokens>): void {
    const { context, options, groupSize } = this.plan;
    const { maxFailureShare = DEFAULT_FAILURE_SHARE } = options;
    const { size } = options.rollout;
    const group = this.#groupAt(played.episode);
    const episode = this.#episodeAt(played.episode);
    this.#occupy(-1);
    if (played.error) {
      context.onFailure?.(played.error, `${ROLLOUT} episode ${episode}`);
      const rollout = Math.floor(episode / size);
      const failures = [...(this.#failures.get(rollout) ?? []), played.error];
      this.#failures.set(rollout, failures);
      checkFailures(failures, maxFailureShare, { purpose: ROLLOUT, episodes: size });
    }
    const members = this.#members.get(group) ?? [];
    members.push(played.error ? null : trajectoryOf(played, episode, groupSize));
    this.#members.set(group, members);
    if (members.length < groupSize) return;
    this.#members.delete(group);
    const items = members.filter((member) => member !== null).sort((a, b) => a.episode - b.episode);
    this.#queue.finish(group, items);
    this.changed();
  }

  /** Adds `change` to the number of episodes that are being played, and records the new load. */
  #occupy(change: number): void {
    this.#inPlay += change;
    this.meter.occupy(this.#inPlay / this.plan.options.slots);
  }

  #groupAt(i: number): number {
    const { next, again } = this.#first;
    const index = Math.floor(i / this.plan.groupSize);
    return index < again.length ? again[index] : next + index - again.length;
  }

  /** Returns the number, in the whole run, of the i-th episode that this stream plays. */
  #episodeAt(i: number): number {
    const { groupSize } = this.plan;
    return this.#groupAt(i) * groupSize + (i % groupSize);
  }
}
