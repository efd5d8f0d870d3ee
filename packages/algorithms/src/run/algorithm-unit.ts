// An algorithm as a unit: all that the runner knows of it, to find it by name, check its options, train with it, play the trained agent
// and resume a run. `defineAlgorithm` makes one of a name, a schema and a loop; everything else has a default.
import { withDefaults, type ConfigProblem, type GivenOptions, type OptionsOf, type Trajectory } from '@bowyer/core';
import type { TObject } from '@sinclair/typebox';
import type { ActionChoice } from '../rollout/dialogue.js';
import type { OpenPlayer, PlayOptions } from '../rollout/player.js';
import { policyPlayer } from '../rollout/policy-player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { withAlgorithmRun, type AlgorithmRun } from './algorithm-run.js';
import type { Agent, TrainingRun } from './training-run.js';

/** An algorithm as it is declared. */
export interface AlgorithmDeclaration<Schema extends TObject> {
  /** The value of `algorithm` and of ArCHer's `agent_type`. */
  name: string;
  description: string;
  /** Each with its default, meaning, unit and range, grouped; keys are in snake_case. */
  options: Schema;
  /** Trains, from top to bottom. When the user asks to stop, it saves a checkpoint and returns early. */
  train(run: AlgorithmRun, options: OptionsOf<Schema> & PlayOptions): Promise<void>;
  /** Other names by which published configs know it. */
  aliases?: readonly string[];
  /** The default is an algorithm without a critic that learns from episodes which it plays. */
  needs?: Partial<AlgorithmNeeds>;
  /** False where the policy stays as it started. */
  trainsPolicy?: boolean;
  /** Opens a player that acts as the agent does, in rollouts, evaluations and wherever it is played later. Default: the policy alone. */
  openPlayer?(agent: Agent, options: PlayerOptionsOf<Schema>): OpenPlayer;
  /** The paths of those of `options` that `openPlayer` reads: a task that only plays takes these alone. */
  playerOptions?: readonly string[];
  /** True where the critic chooses what the agent does, so that playing it needs the critic too. */
  playsWithCritic?: boolean;
  /** True where the player always samples, whatever `sampling.greedy` is: do_sample and eval_decoding have no effect. */
  alwaysSamples?: boolean;
  /** Computes further metrics of the episodes of an evaluation. */
  evaluationMetrics?(
    agent: Agent,
    episodes: readonly Trajectory[],
    options: OptionsOf<Schema>,
  ): Metrics | Promise<Metrics>;
  /**
   * Returns the network that has V, in an algorithm that learns values with a language model: `trunk`, a head on the policy's own; or
   * `critic`, a head on a network of its own that starts as the policy does. Null: there is no V with these options.
   */
  valueFunction?(options: OptionsOf<Schema>): ValueFunction | null;
  /** True where a loss compares probabilities of two passes, so that dropout would change them in between. */
  needsNoDropout?: boolean;
  /**
   * Values of `action_choice` with which it may train, besides `free`: `constrained` where every loss scores turns by `packTurns`, both
   * where no loss reads a log-probability of what was sampled. None if left out; algorithms on datasets take any, since they do not play.
   */
  trainsWithChoices?: readonly ActionChoice[];
  /**
   * Reports options with which the algorithm samples at replayed states: their valid actions are not stored, so that a choice would have
   * nothing to choose from.
   */
  choiceProblems?(options: OptionsOf<Schema>): ConfigProblem[];
  /**
   * Reports options with which rollouts must be the policy's own. An algorithm has this member only if it can learn from rollouts of another
   * policy, because its loss weighs by π/μ or imitates what was played.
   */
  offPolicyRollouts?(options: OptionsOf<Schema>): ConfigProblem[];
  /** Reports settings that the schema allows but that would waste the run. */
  problems?(options: OptionsOf<Schema>): ConfigProblem[];
  /** Returns the iterations at the start in which the agent does not change; 0 if absent. Sweeps that compare early results need it. */
  frozenIterations?(options: OptionsOf<Schema>): number;
}

/** Requirements of an algorithm on its run. */
export interface AlgorithmNeeds {
  /** `double`: two Q and two V heads over a shared encoder, with a slow target copy. */
  critic: 'double' | null;
  /** Whether it learns from episodes that it plays, or from a dataset. */
  source: 'episodes' | 'dataset';
  /** True where an algorithm that learns from its own episodes has a dataset besides. */
  dataset?: boolean;
  /** True where it learns from the reward of each turn, which conversations of a file do not have. */
  turnRewards?: boolean;
  /** True where it prefers some conversations of a dataset to others, so that a dataset may have rejected answers. */
  preferences?: boolean;
  /** True where the environment's expert takes part in rollouts (`Env.expertReply`). */
  expert?: boolean;
}

export type ValueFunction = 'trunk' | 'critic';

/** The options that `openPlayer` may read: `playerOptions` in every task that plays, the others in training only. */
export type PlayerOptionsOf<Schema extends TObject> = Partial<OptionsOf<Schema>> & Pick<PlayOptions, 'slots'>;

type WithDefault = 'needs' | 'trainsPolicy' | 'openPlayer' | 'playerOptions';

/** An algorithm as a program runs it. */
export interface AlgorithmUnit<Schema extends TObject = TObject>
  extends
    Omit<AlgorithmDeclaration<Schema>, WithDefault | 'train'>,
    Omit<Required<Pick<AlgorithmDeclaration<Schema>, WithDefault>>, 'needs'> {
  needs: AlgorithmNeeds;
  /** Trains with the given options; those that are left out have their defaults. */
  train(run: TrainingRun, options: GivenOptions<OptionsOf<Schema>> & PlayOptions): Promise<void>;
}

const PLAY_OPTIONS = ['seed', 'slots', 'maxFailureShare', 'sampling'];

/** Declares a unit, with its options typed by its schema. */
export function defineAlgorithm<Schema extends TObject>(declared: AlgorithmDeclaration<Schema>): AlgorithmUnit<Schema> {
  const unit = {
    trainsPolicy: true,
    openPlayer: policyPlayer,
    playerOptions: [],
    ...declared,
    needs: { critic: null, source: 'episodes' as const, ...declared.needs },
  };
  return {
    ...unit,
    train: async (run, given) => {
      const options = withDefaults(declared.options, given, PLAY_OPTIONS) as OptionsOf<Schema> & PlayOptions;
      return withAlgorithmRun<OptionsOf<Schema> & PlayOptions>(unit, run, options, (own) =>
        declared.train(own, options),
      );
    },
  };
}

/** A unit whose schema is not known at compile time. */
// oxlint-disable-next-line typescript/no-explicit-any -- its options are checked against its own schema at run time
export type AnyAlgorithm = AlgorithmUnit<any>;
