// Declares the parts of a training run that its program gives to an algorithm: the agent, the data, and the program's services.
import type { WatchOptions } from './watch.js';
import type { Trajectory } from '@bowyer/core';
import type { DoubleCritic, LanguageModel, Quantization } from '@bowyer/models';
import type { EncodedConversation } from '@bowyer/text';
import type { ReferencePolicy } from '../learning/reference-policy.js';
import type { Dialogues } from '../rollout/dialogue.js';
import type { PlayContext } from '../rollout/collect.js';
import type { RunHooks } from '../rollout/run-hooks.js';
import { textDialogues } from '../rollout/text-dialogue.js';

/** The agent that is trained and played. */
export interface Agent {
  policy: LanguageModel;
  /** The critic; null if the algorithm needs none. */
  critic: DoubleCritic | null;
  /** The conversion of episodes into the policy's tokens. */
  dialogues: Dialogues;
  /** True where the policy samples with integer matrix products, so that its probabilities differ slightly from the trainer's. */
  samplesIntegers?: boolean;
}

/** Stored episodes or conversations, as the policy's tokens. */
export type Dataset =
  /** Rewards are NaN if the file has none. */
  | { kind: 'episodes'; episodes: readonly Trajectory[] }
  | {
      kind: 'conversations';
      conversations: readonly EncodedConversation[];
      /** The outcome of each conversation; null without a score. */
      outcomes?: readonly (ConversationOutcome | null)[];
    };

/** The outcome of a conversation that answers a task. */
export interface ConversationOutcome {
  /** The number of the conversation in the data; several encodings of one conversation share it. */
  conversation: number;
  /** Equal for conversations that begin with the same messages and tools, and for a pair of answers. */
  task: string;
  score: number;
}

/** The state of an algorithm besides models and optimizers: plain JSON, changed in place, saved with every checkpoint. */
export type AlgorithmState = Record<string, unknown>;

/** Everything that an algorithm needs for training. */
export interface TrainingRun extends Agent, PlayContext {
  /** The model with the value head of an algorithm with `valueFunction`: the policy or a separate network; null for others. */
  valueModel: LanguageModel | null;
  /** The dataset to learn from; null if the algorithm needs no dataset. */
  dataset: Dataset | null;
  /** All episodes that this run has collected so far, oldest first, from which a resumed run fills its replay buffer. */
  history: readonly Trajectory[];
  state: AlgorithmState;
  /** In iterations or optimizer steps, as the checkpoints count: 0, or the next one after the checkpoint. */
  firstIteration: number;
  hooks: RunHooks;
  /**
   * Opens the initial policy of the run, even if the run was resumed; it is released when the algorithm ends. With LoRA it is the
   * same session with the adapters off, or with the initial adapters; else a copy of all weights.
   */
  openReference(options?: { quantization?: Quantization }): Promise<ReferencePolicy>;
  /** Opens another, frozen model, which must have the policy's tokenizer; it is released when the algorithm ends. */
  openTeacher(place: string): Promise<ReferencePolicy>;
  /** Restores the weights of the run's initial policy, even if the run was resumed, with a new optimizer. */
  restoreStart(): Promise<void>;
  /** How the run is watched for collapses; absent if it is not. */
  watch?: WatchOptions;
}

/** A training without files, for use as a library: a policy, and what else the algorithm needs. Missing hooks do nothing. */
export type TrainingRunParts = Pick<TrainingRun, 'policy'> &
  Partial<Omit<TrainingRun, 'policy' | 'hooks'>> & { hooks?: Partial<RunHooks> };

/** Makes a new run, for use as a library: nothing is saved unless the hooks do so. */
export function trainingRun({ policy, hooks, ...parts }: TrainingRunParts): TrainingRun {
  return {
    policy,
    critic: null,
    valueModel: null,
    dialogues: textDialogues(policy.tokenizer),
    makeEnv: null,
    dataset: null,
    history: [],
    state: {},
    firstIteration: 0,
    // A program that resumes a run must give its own function, since there the present policy is a trained one.
    openReference: (options) => policy.freeze(options),
    openTeacher: (place) =>
      Promise.reject(new Error(`no model can be opened from ${place}: give the run an openTeacher`)),
    restoreStart: () =>
      Promise.reject(new Error('restoreStart: this run does not know the weights of its start; give it')),
    ...parts,
    hooks: {
      progress: () => {},
      log: () => Promise.resolve(),
      keepBest: () => Promise.resolve(),
      checkpoint: () => Promise.resolve(),
      checkpointDue: false,
      stopRequested: false,
      ...hooks,
    },
  };
}

export function criticOf({ critic }: Agent): DoubleCritic {
  if (critic === null)
    throw new Error('this algorithm needs a critic, and the run has none: make the kind that needs.critic names');
  return critic;
}

/** Returns the model with the value head of an algorithm with `valueFunction`. */
export function valueModelOf({ valueModel }: TrainingRun): LanguageModel {
  if (valueModel === null)
    throw new Error('this algorithm needs a value head, and the run has none: make the one that valueFunction names');
  return valueModel;
}

export function datasetOf({ dataset }: TrainingRun): Dataset {
  if (dataset === null)
    throw new Error('this algorithm learns from a dataset, and the run has none: give demonstrations');
  return dataset;
}
