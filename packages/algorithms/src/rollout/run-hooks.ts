// Declares the calls that an algorithm makes to the program that runs it.
import type { Trajectory } from '@bowyer/core';

export type Metrics = Record<string, number>;

/** Stores metrics and models of a run, and shows progress. */
export interface RunHooks {
  /** Reports progress during long phases. @param loss of the last step, for display only */
  progress(phase: string, done: number, total: number, loss?: number): void;
  /**
   * Stores an iteration's metrics and episodes, if any. Iterations count from 0. In an algorithm on a dataset an iteration is an
   * optimizer step, only some of which have metrics, and −1 is before the first step. Throws if a metric is not finite.
   */
  log(iteration: number, metrics: Metrics, rollout?: readonly Trajectory[]): Promise<void>;
  /** Saves the agent after an evaluation if its score is the highest so far, or if `always`. Iteration −1 is the initial agent. */
  keepBest(iteration: number, score: number, always?: boolean): Promise<void>;
  /** Restores the best agent's weights, with new optimizers. Needed in runs with `watch` (watch.ts). */
  restoreBest?(): Promise<void>;
  warn?(message: string): void;
  /** Ends the run after this iteration, with a reason for its results. Needed in runs with `watch` (watch.ts). */
  end?(reason: string): void;
  /** Saves everything that the next iteration (or optimizer step) needs, completely or not at all. */
  checkpoint(next: number): Promise<void>;
  /** True when a checkpoint is requested, or due by time for algorithms whose steps are too short for a checkpoint after each. */
  readonly checkpointDue: boolean;
  /** True once the user asked to stop: the algorithm saves a checkpoint and returns. */
  readonly stopRequested: boolean;
  /** True once this process of a data-parallel run should interrupt episodes that can be played again. False if not given. */
  readonly interrupted?: boolean;
  /**
   * Saves a checkpoint of an iteration whose evaluation was interrupted; the resumed run calls `log` with the same arguments. If
   * it is not given, evaluations are not interrupted.
   */
  postpone?(iteration: number, metrics: Metrics, rollout: readonly Trajectory[]): Promise<void>;
}

/**
 * Receives every failure of an episode, named by purpose and number.
 *
 * @param counts whether the episode is kept, with the configured reward of failures
 */
export type OnFailure = (error: Error, episode: string, counts?: boolean) => void;
