// Plays rollouts while the learner updates the policy, with weights that depend only on the iteration: rollout k is played with
// the weights of iteration k − s, where s is the staleness. With s = 1 this is one-step off-policy learning: Noukhovitch et al.
// 2024, arXiv:2410.18252, section 3.
import type { Trajectory } from '@bowyer/core';
import { playRollout, type RolloutPlan, type RolloutsAhead } from '../rollout/collect.js';
import type { Metrics } from '../rollout/run-hooks.js';
import type { Collector, Weights } from './collector.js';
import { RolloutMeter, stalenessMetrics } from './rollout-meter.js';

export interface LockStepSettings {
  iterations: number;
  /** s, the age of the weights in iterations; with 0 the results are those of a synchronous run. */
  maxStaleness: number;
  firstIteration: number;
}

/** Gives an algorithm the rollout of each iteration, and plays the next ones meanwhile. */
export class LockStepRollouts implements RolloutsAhead {
  readonly #meter = new RolloutMeter();
  readonly #rollouts = new Map<number, Promise<Trajectory[]>>();
  #last: Promise<unknown> = Promise.resolve();
  /** The iteration of the first rollout that has not been started. */
  #next: number;
  /** The iteration whose rollout the learner waits for. */
  #awaited = -1;
  #metrics: Metrics = {};

  /** @param played rollouts of a checkpoint that were not yet learned from, by iteration */
  constructor(
    private readonly collector: Collector,
    private readonly settings: LockStepSettings,
    played: ReadonlyMap<number, Trajectory[]> = new Map(),
  ) {
    for (const [iteration, rollout] of played) this.#rollouts.set(iteration, Promise.resolve(rollout));
    this.#next = settings.firstIteration + played.size;
  }

  async take(iteration: number, plan: RolloutPlan): Promise<Trajectory[]> {
    const { iterations, maxStaleness } = this.settings;
    const end = Math.min(iterations, iteration + maxStaleness + 1);
    if (this.#next < end) {
      const weights = await this.collector.snapshot();
      while (this.#next < end) this.#begin(this.#next++, { version: iteration, weights }, plan);
    }
    this.#awaited = iteration;
    const rollout = await this.#meter.waiting(this.#rollouts.get(iteration)!);
    this.#awaited = -1;
    this.#rollouts.delete(iteration);
    plan.context.hooks.progress('rollout', 1, 1);
    this.#metrics = stalenessMetrics(rollout, iteration);
    return rollout;
  }

  takeMetrics(): Metrics {
    return this.#metrics;
  }

  /** Returns the seconds that learner and collector waited since the last call. */
  takeSeconds(): Record<string, number> {
    const { learnerIdle, collectorIdle } = this.#meter.take();
    return { 'learner idle': learnerIdle / 1000, 'collector idle': collectorIdle / 1000 };
  }

  /** Waits for the rollouts that were started, and returns them by iteration. */
  async played(): Promise<Map<number, Trajectory[]>> {
    const played = new Map<number, Trajectory[]>();
    for (const [iteration, rollout] of this.#rollouts) played.set(iteration, await rollout);
    return played;
  }

  async close(): Promise<void> {
    this.collector.close();
    await this.#last.catch(() => {});
  }

  /** Starts a rollout, which is played after the rollouts that were started earlier. */
  #begin(iteration: number, { version, weights }: { version: number; weights: Weights }, plan: RolloutPlan): void {
    const { context, options, groupSize } = plan;
    const { size } = options.rollout;
    const progress: RolloutPlan['context']['hooks']['progress'] = (...step) => {
      if (this.#awaited === iteration) context.hooks.progress(...step);
    };
    const episodes = { groupSize, firstEpisode: iteration * size, episodes: size };
    const rollout = this.#last.then(async () => {
      await this.collector.load(version, weights);
      this.#meter.occupy(1);
      try {
        return await playRollout(
          { ...context, hooks: { progress } },
          this.collector.openPlayer,
          iteration,
          options,
          episodes,
        );
      } finally {
        this.#meter.occupy(0);
      }
    });
    rollout.catch(() => {}); // the error is thrown when the learner takes the rollout
    this.#rollouts.set(iteration, rollout);
    this.#last = rollout;
  }
}
