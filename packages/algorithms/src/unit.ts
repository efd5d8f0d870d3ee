// An algorithm as a unit: everything that a runner needs to find it by name, check its options, train with it, play the trained
// agent and resume a run. This is all that a runner knows of an algorithm.
import type { ConfigProblem, OptionsOf, Trajectory } from '@bowyer/core';
import type { DoubleCritic, EncodedConversation, LanguageModel, Quantization, TokenExample } from '@bowyer/models';
import type { Static, TObject } from '@sinclair/typebox';
import type { PlayContext } from './rollout/play.js';
import type { ActionChoice, Dialogues } from './rollout/dialogue.js';
import type { OpenPlayer, PlayOptions, RunHooks } from './types.js';

/** What is trained, and what plays afterwards. */
export interface Agent {
  policy: LanguageModel;
  /** Null where the algorithm needs none. */
  critic: DoubleCritic | null;
  /** How episodes become the policy's tokens. */
  dialogues: Dialogues;
}

/** Episodes that were played before, as the policy's tokens. */
export type Dataset =
  /** Rewards are NaN where the file has none. */
  | { kind: 'episodes'; episodes: readonly Trajectory[] }
  | { kind: 'conversations'; conversations: readonly EncodedConversation[] };

/** State of an algorithm besides models and optimizers: plain JSON, changed in place, saved and restored with every checkpoint. */
export type RecipeState = Record<string, unknown>;

/** The policy as it was at the start of the run, frozen: what a KL penalty is measured against. */
export interface ReferencePolicy {
  /** Per example and position log p(target | ids up to there) in nats, 0 where the weight is 0. */
  logprobs(examples: readonly TokenExample[], options?: { maxTokens?: number }): Promise<Float32Array[]>;
  release(): Promise<void>;
}

/** What an algorithm works with. */
export interface TrainingRun extends Agent, PlayContext {
  /** What carries the value head of an algorithm with `valueFunction`: the policy itself, or a network of its own. Null for the others. */
  valueModel: LanguageModel | null;
  /** What to learn from; null where the algorithm needs none. */
  dataset: Dataset | null;
  /** All episodes that this run has collected before, oldest first: on resume a replay buffer is filled from it. */
  history: readonly Trajectory[];
  state: RecipeState;
  /** 0, or where a checkpoint left off; counts what the algorithm's checkpoints count (iterations, or optimizer steps). */
  firstIteration: number;
  hooks: RunHooks;
  /**
   * Opens the start of the run, of a resumed run too; the algorithm releases it. With LoRA it is the same session with the adapters off,
   * or as they were at the start; else a copy of all weights.
   *
   * @param options.quantization of a copy of all weights; 'none' if not given
   */
  openReference(options?: { quantization?: Quantization }): Promise<ReferencePolicy>;
  /**
   * Opens another model, frozen, whose tokenizer must be the policy's; the algorithm releases it.
   *
   * @param place a folder or a name on the hub
   */
  openTeacher(place: string): Promise<ReferencePolicy>;
  /** Gives the policy the weights of the run's start, of a resumed run too, and a new optimizer. */
  restoreStart(): Promise<void>;
}

export type ValueFunction = 'trunk' | 'critic';

export interface AlgorithmUnit<Schema extends TObject = TObject> {
  /** The value of `algorithm` and of ArCHer's `agent_type`. */
  name: string;
  /** Other names by which published configs know it. */
  aliases?: readonly string[];
  description: string;
  /** Config keys in snake_case with meaning, unit and range; their defaults are in configs/algorithm/NAME.yaml. */
  options: Schema;
  needs: {
    /** `double`: two Q and two V heads over a shared encoder, with a slow target copy. */
    critic: 'double' | null;
    /** Whether it learns from episodes that it plays, or from a dataset. */
    source: 'episodes' | 'dataset';
    /** True where an algorithm that learns from its own episodes has a dataset besides. */
    dataset?: boolean;
    /** True where the environment's expert takes part in rollouts (`Env.expertReply`). */
    expert?: boolean;
  };
  /**
   * Where V comes from in an algorithm that learns values with a language model: `trunk`, a head on the policy's own; or `critic`, a
   * head on a network of its own that starts as the policy does. Null: nowhere, with these options.
   */
  valueFunction?(options: OptionsOf<Schema>): ValueFunction | null;
  /** True where a loss compares probabilities of two passes, so that dropout would change them in between. */
  needsNoDropout?: boolean;
  /** False where the policy stays as it started. */
  trainsPolicy: boolean;
  /** True where the critic chooses what the agent does, so that playing it needs the critic too. */
  playsWithCritic?: boolean;
  /**
   * Values of `action_choice` with which it may train, besides `free`: `constrained` where every loss scores turns by `packTurns`, both
   * where no loss reads a log-probability of what was sampled. None if left out; algorithms on datasets take any, since they do not play.
   */
  trainsWithChoices?: readonly ActionChoice[];
  /** @returns options with which it asks for utterances at states whose valid actions it does not know: a choice has none to choose from */
  choiceProblems?(options: OptionsOf<Schema>): ConfigProblem[];
  /** True where the player always samples, whatever `sampling.greedy` is: do_sample and eval_decoding have no effect. */
  alwaysSamples?: boolean;
  /** Those of `options` that `openPlayer` reads: a task that only plays takes these alone. */
  playerOptions: readonly (string & keyof Static<Schema>)[];
  /** How the agent acts, in rollouts, evaluations and wherever it is played later. */
  openPlayer(agent: Agent, options: PlayerOptionsOf<Schema>): OpenPlayer;
  /** The whole training, top to bottom. When the user asks to stop, it saves a checkpoint and returns early. */
  train(run: TrainingRun, options: OptionsOf<Schema> & PlayOptions): Promise<void>;
  /**
   * Present where rollouts may be those of another policy whose log-probabilities are known: the loss weighs by π/μ, or imitates what
   * was played.
   *
   * @returns options with which it would not
   */
  offPolicyRollouts?(options: OptionsOf<Schema>): ConfigProblem[];
  /** Settings that the schema allows but that would waste the run. */
  problems?(options: OptionsOf<Schema>): ConfigProblem[];
  /** Iterations at the start in which the agent does not change; 0 if absent. Sweeps that compare early results need it. */
  frozenIterations?(options: OptionsOf<Schema>): number;
}

/** What `openPlayer` may read: `playerOptions` in every task that plays, the other options in training only. */
export type PlayerOptionsOf<Schema extends TObject> = Partial<OptionsOf<Schema>> & Pick<PlayOptions, 'slots'>;

/** Declares a unit, with its options typed by its schema. */
export const defineAlgorithm = <Schema extends TObject>(unit: AlgorithmUnit<Schema>): AlgorithmUnit<Schema> => unit;

/** A unit whose schema is not known at compile time. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- its options are checked against its own schema at run time
export type AnyAlgorithm = AlgorithmUnit<any>;

/** The critic of an algorithm with `needs.critic`. */
export function criticOf({ critic }: Agent): DoubleCritic {
  if (critic === null)
    throw new Error('this algorithm needs a critic, and the run has none: make the kind that needs.critic names');
  return critic;
}

/** The model with the value head of an algorithm with `valueFunction`. */
export function valueModelOf({ valueModel }: TrainingRun): LanguageModel {
  if (valueModel === null)
    throw new Error('this algorithm needs a value head, and the run has none: make the one that valueFunction names');
  return valueModel;
}

/** The dataset of an algorithm that needs one. */
export function datasetOf({ dataset }: TrainingRun): Dataset {
  if (dataset === null)
    throw new Error('this algorithm learns from a dataset, and the run has none: give demonstrations');
  return dataset;
}
