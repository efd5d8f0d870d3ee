// A training run as its program gives it to an algorithm: the agent that is trained, the data, and the program's services.
import type { WatchOptions } from './watch.js';
import type { Trajectory } from '@bowyer/core';
import type { DoubleCritic, LanguageModel, Quantization } from '@bowyer/models';
import type { EncodedConversation } from '@bowyer/text';
import type { ReferencePolicy } from '../learning/reference-policy.js';
import type { Dialogues } from '../rollout/dialogue.js';
import type { PlayContext } from '../rollout/collect.js';
import type { RunHooks } from '../rollout/run-hooks.js';
import { textDialogues } from '../rollout/text-dialogue.js';

/** The agent that is trained, and that plays afterwards. */
export interface Agent {
  policy: LanguageModel;
  /** Null where the algorithm needs none. */
  critic: DoubleCritic | null;
  /** How episodes become the policy's tokens. */
  dialogues: Dialogues;
  /** True where the policy samples with integer matrix products, so that its probabilities differ slightly from the trainer's. */
  samplesIntegers?: boolean;
}

/** Episodes that were played before, as the policy's tokens. */
export type Dataset =
  /** Rewards are NaN where the file has none. */
  | { kind: 'episodes'; episodes: readonly Trajectory[] }
  | {
      kind: 'conversations';
      conversations: readonly EncodedConversation[];
      /** The outcome of each of them; null where the data has no score. */
      outcomes?: readonly (ConversationOutcome | null)[];
    };

/** How an answer to a task came out. */
export interface ConversationOutcome {
  /** Which conversation of the data it is; several encodings of one have the same number. */
  conversation: number;
  /** Equal for conversations that begin with the same messages and tools, or for those of one pair of answers. */
  task: string;
  score: number;
}

/** State of an algorithm besides models and optimizers: plain JSON, changed in place, saved and restored with every checkpoint. */
export type AlgorithmState = Record<string, unknown>;

/** Everything that an algorithm works with. */
export interface TrainingRun extends Agent, PlayContext {
  /** The model with the value head of an algorithm with `valueFunction`: the policy itself, or a network of its own. Null for the others. */
  valueModel: LanguageModel | null;
  /** The dataset to learn from; null if the algorithm needs none. */
  dataset: Dataset | null;
  /** All episodes that this run has collected before, oldest first: on resume a replay buffer is filled from it. */
  history: readonly Trajectory[];
  state: AlgorithmState;
  /** 0, or where a checkpoint left off; counts what the algorithm's checkpoints count (iterations, or optimizer steps). */
  firstIteration: number;
  hooks: RunHooks;
  /**
   * Opens the policy at the start of the run, of a resumed run too; it is released when the algorithm ends. With LoRA it is the same
   * session with the adapters off, or as they were at the start; else a copy of all weights.
   *
   * @param options.quantization of a copy of all weights; 'none' if not given
   */
  openReference(options?: { quantization?: Quantization }): Promise<ReferencePolicy>;
  /**
   * Opens another model, frozen, whose tokenizer must be the policy's; it is released when the algorithm ends.
   *
   * @param place a folder or a name on the hub
   */
  openTeacher(place: string): Promise<ReferencePolicy>;
  /** Gives the policy the weights of the run's start, of a resumed run too, and a new optimizer. */
  restoreStart(): Promise<void>;
  /** How the run is watched; absent: it is not. */
  watch?: WatchOptions;
}

/** The parts of a run without files: a policy, and whatever its algorithm needs. Hooks that are not given do nothing. */
export type TrainingRunParts = Pick<TrainingRun, 'policy'> &
  Partial<Omit<TrainingRun, 'policy' | 'hooks'>> & { hooks?: Partial<RunHooks> };

/** Makes a run from its beginning, for use as a library: nothing is saved unless the hooks do so. */
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
    // A run from its beginning: its start is the policy as it is now. One that resumes from a checkpoint must give its own.
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

/** Returns the critic of an algorithm with `needs.critic`. */
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

/** Returns the dataset of an algorithm that needs one. */
export function datasetOf({ dataset }: TrainingRun): Dataset {
  if (dataset === null)
    throw new Error('this algorithm learns from a dataset, and the run has none: give demonstrations');
  return dataset;
}
