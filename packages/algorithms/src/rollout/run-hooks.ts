// The reports of an algorithm, and its requests to the program that runs it.
import type { Trajectory } from '@bowyer/core';

export type Metrics = Record<string, number>;

/** The side of the run that an algorithm does not decide: where metrics go, what is saved, what is shown. */
export interface RunHooks {
  /** Reports progress during long phases. @param loss of the step that was taken, to be shown; the metrics have the means */
  progress(phase: string, done: number, total: number, loss?: number): void;
  /**
   * Stores an iteration's metrics and the episodes that it collected, if any. Iterations count from 0; on a dataset they are optimizer
   * steps, of which some have metrics, and −1 is before the first. Throws when a metric is not finite.
   */
  log(iteration: number, metrics: Metrics, rollout?: readonly Trajectory[]): Promise<void>;
  /** Keeps the agent after evaluations where its score is the highest so far, or where `always`. Iteration −1 is the start. */
  keepBest(iteration: number, score: number, always?: boolean): Promise<void>;
  /** Gives policy and critic the weights of the best agent, and a new optimizer. Needed by a run that is watched. */
  restoreBest?(): Promise<void>;
  /** Reports what a user should know now. */
  warn?(message: string): void;
  /** Ends the run after this iteration, for a reason that its results give. Needed by a run that is watched. */
  end?(reason: string): void;
  /** Saves everything that the next iteration (or optimizer step) needs, completely or not at all. */
  checkpoint(next: number): Promise<void>;
  /** True when a checkpoint is due by time, for algorithms whose steps are too short for a checkpoint after each, or was asked for. */
  readonly checkpointDue: boolean;
  /** True once the user asked to stop: the algorithm saves a checkpoint and returns. */
  readonly stopRequested: boolean;
  /** True once this process alone among several is asked to stop: it gives up episodes that can be played again. False if not given. */
  readonly interrupted?: boolean;
  /**
   * Saves a checkpoint of an iteration whose evaluation was given up, with its metrics and its rollout; when the run is resumed,
   * `log` gets them again. Where it is not given, evaluations are not given up.
   */
  postpone?(iteration: number, metrics: Metrics, rollout: readonly Trajectory[]): Promise<void>;
}

/**
 * Called for every episode that failed.
 *
 * @param episode its purpose and number, for messages
 * @param counts whether the episode counts all the same, with the reward that failures have
 */
export type OnFailure = (error: Error, episode: string, counts?: boolean) => void;
