// An algorithm as a unit: everything that a runner needs to find it by name, check its options, train with it, play what it
// made and resume it. A runner knows no algorithm but through this.
import type { OptionsOf, Trajectory } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import type { DoubleCritic, EncodedConversation, LanguageModel } from '@bowyer/models';
import type { Static, TObject } from '@sinclair/typebox';
import type { Dialogues } from './rollout/dialogue.js';
import type { OnFailure, OpenPlayer, PlayOptions, RunHooks } from './types.js';

/** What is trained, and what plays afterwards. */
export interface Agent {
  policy: LanguageModel;
  /** Null where the algorithm needs none. */
  critic: DoubleCritic | null;
  /** How episodes become the policy's tokens. */
  dialogues: Dialogues;
}

/** Episodes that somebody else has played, as the policy's tokens. */
export type Dataset =
  | { kind: 'episodes'; episodes: readonly Trajectory[] }
  | { kind: 'conversations'; conversations: readonly EncodedConversation[] };

/** State of a recipe beside models and optimizers: plain JSON, changed in place, saved and restored with every checkpoint. */
export type RecipeState = Record<string, unknown>;

/** What a recipe works with. */
export interface TrainingRun extends Agent {
  /** Null for a run on a dataset that has no environment to evaluate in. */
  makeEnv: (() => Env) | null;
  onFailure?: OnFailure;
  /** What to imitate or learn from; null where the algorithm's source is episodes. */
  dataset: Dataset | null;
  /** All episodes that this run has collected before, oldest first: what a replay buffer is filled from again on resume. */
  history: readonly Trajectory[];
  state: RecipeState;
  /** 0, or where a checkpoint left off; counts what the recipe's checkpoints count (iterations, or optimizer steps). */
  firstIteration: number;
  hooks: RunHooks;
}

export interface AlgorithmUnit<Schema extends TObject = TObject> {
  /** The value of `algorithm` and of ArCHer's `agent_type`. */
  name: string;
  /** Other names by which published configs know it. */
  aliases?: readonly string[];
  description: string;
  /** Config keys in snake_case with meaning, unit and range; their defaults stand in configs/algorithm/NAME.yaml. */
  options: Schema;
  needs: {
    /** `double`: two Q and two V heads over a shared encoder, with a slow target copy. */
    critic: 'double' | null;
    /** Whether it learns from episodes that it plays, or from a dataset. */
    source: 'episodes' | 'dataset';
  };
  /** False where the policy stays as it started. */
  trainsPolicy: boolean;
  /** Those of `options` that `openPlayer` reads: a task that only plays takes these alone. */
  playerOptions: readonly (string & keyof Static<Schema>)[];
  /** How the agent acts, in rollouts, evaluations and wherever it is played later. */
  openPlayer(agent: Agent, options: PlayerOptionsOf<Schema>): OpenPlayer;
  /** The whole training, top to bottom. Returns early, with a checkpoint written, when the user asks to stop. */
  train(run: TrainingRun, options: OptionsOf<Schema> & PlayOptions): Promise<void>;
  /** What is legal by the schema and would waste the run: one message each, with how to mend it. */
  problems?(options: OptionsOf<Schema>): string[];
  /** Iterations during which the policy does not change; 0 if absent. Sweeps that compare early results need it. */
  frozenIterations?(options: OptionsOf<Schema>): number;
}

/** What `openPlayer` may read: its declared keys are there in every task that plays, the others in training only. */
export type PlayerOptionsOf<Schema extends TObject> = Partial<OptionsOf<Schema>> & Pick<PlayOptions, 'slots'>;

/** States a unit with the types of its options checked. */
export const defineAlgorithm = <Schema extends TObject>(unit: AlgorithmUnit<Schema>): AlgorithmUnit<Schema> => unit;

/** A unit whose schema is not known at compile time. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- its options are checked against its own schema at run time
export type AnyAlgorithm = AlgorithmUnit<any>;
