// What a recipe is given, and what it may ask of whoever runs it.
import type { LearningRateSchedule, ReplayBuffer, Trajectory } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import type { LanguageModel, SamplingOptions } from '@bowyer/models';
import type { Dialogues } from './rollout/dialogue.js';
import type { Player } from './rollout/player.js';
import type { SharedClip } from './update/shared-clip.js';

export type Metrics = Record<string, number>;

/** One stored turn. Points into its trajectory, so a history is held once however many turns it has. */
export interface ReplayItem {
  trajectory: Trajectory;
  turn: number;
}

/** The side of the run that a recipe does not decide: where figures go, what is kept, what is shown. */
export interface RunHooks {
  /** Called while something slow goes on. */
  progress(phase: string, done: number, total: number): void;
  /** Stores an iteration's figures and, where it collected some, its episodes; throws when a figure is not finite. */
  log(iteration: number, metrics: Metrics, rollout?: readonly Trajectory[]): Promise<void>;
  /** Called after every evaluation: the best policy so far is kept. */
  keepBest(iteration: number, score: number): Promise<void>;
  /** All that the next iteration needs is written, whole or not at all. */
  checkpoint(nextIteration: number): Promise<void>;
  /** True when a checkpoint is due by time, for recipes whose steps are too short to save after each of them. */
  readonly checkpointDue: boolean;
  /** True once the user asked to stop: the recipe checkpoints and returns. */
  readonly stopRequested: boolean;
}

/** Told of every episode that failed. @param episode its purpose and number, for people */
export type OnFailure = (error: Error, episode: string) => void;

/** What every online recipe works with. */
export interface OnlineRun {
  policy: LanguageModel;
  /** How episodes are written for the policy; as text if not given. The critic reads the text in any case. */
  dialogues?: Dialogues;
  makeEnv: () => Env;
  onFailure?: OnFailure;
  replay: ReplayBuffer<ReplayItem>;
  clip: SharedClip;
  /** 0, or where a checkpoint left off. */
  firstIteration: number;
  hooks: RunHooks;
}

/** How episodes are played. */
export interface PlayOptions {
  /** All randomness of the run derives from it. */
  seed: number;
  /** Episodes in play at the same time. */
  slots: number;
  /** When more than this share of the episodes collected at once failed, the run stops. Default: half. */
  maxFailureShare?: number;
  sampling: SamplingOptions;
}

/** The outer loop that ArCHer, CHAI and online filtered BC share. */
export interface LoopOptions extends PlayOptions {
  iterations: number;
  /** Episodes per iteration. */
  rolloutSize: number;
  /** Iterations between evaluations. */
  evalFreq: number;
  /** Episodes per evaluation. */
  evalSize: number;
  /** Sample in evaluations too; false: greedy. */
  evalDoSample: boolean;
  /** Iterations between checkpoints. */
  saveFreq: number;
  /** Iterations during which the policy is frozen. */
  warmupIter: number;
  /** Rate of the policy's optimizer at the first update. */
  lmLr: number;
  /** Rate at the last iteration as a share of `lmLr`, falling linearly; 1 keeps it constant as ArCHer does. */
  lmLrFinalShare: number;
  /** Instead of that linear fall, another schedule; its steps are iterations. */
  lmSchedule?: LearningRateSchedule;
  /** Discount per turn. */
  gamma: number;
  scoreTerminator: boolean;
}

/** Opens a player for a phase; whoever opens it closes it. */
export type OpenPlayer = (sampling: SamplingOptions) => Promise<Player>;
