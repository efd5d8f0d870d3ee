// Declares an algorithm. `defineAlgorithm` needs a name, a schema and a loop; everything else has a default.
import { withDefaults, type ConfigProblem, type GivenOptions, type OptionsOf, type Trajectory } from '@bowyer/core';
import type { TObject } from '@sinclair/typebox';
import type { ActionChoice } from '../rollout/dialogue.js';
import type { OpenPlayer, PlayOptions } from '../rollout/player.js';
import { policyPlayer } from '../rollout/policy-player.js';
import type { Metrics } from '../rollout/run-hooks.js';
import { withAlgorithmRun, type AlgorithmRun } from './algorithm-run.js';
import type { Agent, TrainingRun } from './training-run.js';

export interface AlgorithmDeclaration<Schema extends TObject> {
  /** The name in configs: the value of the key `algorithm`, or of `agent_type` in ArCHer's configs. */
  name: string;
  description: string;
  /** The options, each with default, meaning, unit and range, in groups; keys are in snake_case. */
  options: Schema;
  /** Trains the agent. When the user asks to stop, it saves a checkpoint and returns early. */
  train(run: AlgorithmRun, options: OptionsOf<Schema> & PlayOptions): Promise<void>;
  /** Other names of the algorithm in published configs. */
  aliases?: readonly string[];
  /** The default is an algorithm without a critic that learns from episodes which it plays itself. */
  needs?: Partial<AlgorithmNeeds>;
  /** Whether the policy is trained. True if not given. */
  trainsPolicy?: boolean;
  /** Opens a player that acts as the agent does, for rollouts, evaluations and all later play. Default: the policy alone. */
  openPlayer?(agent: Agent, options: PlayerOptionsOf<Schema>): OpenPlayer;
  /** The paths in `options` that `openPlayer` reads; a task that only plays accepts no other options of the algorithm. */
  playerOptions?: readonly string[];
  /** True if the critic takes part in choosing actions, so that play needs the critic too. */
  playsWithCritic?: boolean;
  /** True if the player always samples, so that sampling.do_sample and eval.decoding have no effect. */
  alwaysSamples?: boolean;
  evaluationMetrics?(
    agent: Agent,
    episodes: readonly Trajectory[],
    options: OptionsOf<Schema>,
  ): Metrics | Promise<Metrics>;
  /**
   * The network of V, for an algorithm that learns values with a language model: `trunk`, a value head on the policy's network;
   * `critic`, on a separate network with the policy's initial weights; null if these options have no V.
   */
  valueFunction?(options: OptionsOf<Schema>): ValueFunction | null;
  /** True if the loss compares probabilities of two forward passes, between which dropout would change them. */
  needsNoDropout?: boolean;
  /**
   * The values of `play.action_choice` that training supports besides `free`: `constrained` if every loss scores turns by
   * `packTurns`; `scored` too if no loss reads a log-probability of the sampler. None if not given. Algorithms on datasets do not
   * play.
   */
  trainsWithChoices?: readonly ActionChoice[];
  /** Reports options with which the algorithm samples at replayed states, whose valid actions are not stored. */
  choiceProblems?(options: OptionsOf<Schema>): ConfigProblem[];
  /**
   * Reports options that need on-policy rollouts. Present only if the algorithm can learn from rollouts of another policy,
   * because its loss is weighted by π/μ or imitates the actions.
   */
  offPolicyRollouts?(options: OptionsOf<Schema>): ConfigProblem[];
  /** Reports settings that the schema allows but that would waste the run. */
  problems?(options: OptionsOf<Schema>): ConfigProblem[];
  /** Returns the number of first iterations in which the agent does not change; 0 if absent. Sweeps that compare early results read it. */
  frozenIterations?(options: OptionsOf<Schema>): number;
}

export interface AlgorithmNeeds {
  /** The kind of critic. `double`: two Q and two V heads over a shared encoder, with a slowly updated copy for targets. */
  critic: 'double' | null;
  /** Whether it learns from its own episodes, or from a dataset. */
  source: 'episodes' | 'dataset';
  /** True if an algorithm that learns from its own episodes needs a dataset too. */
  dataset?: boolean;
  /** True if it learns from the reward of each turn, which conversations of a file do not have. */
  turnRewards?: boolean;
  /** True if it learns from preferences between conversations of a dataset, which may then have rejected answers. */
  preferences?: boolean;
  /** True where the environment's expert takes part in rollouts (`Env.expertReply`). */
  expert?: boolean;
}

export type ValueFunction = 'trunk' | 'critic';

/** The options that `openPlayer` may read: `playerOptions` in every task that plays, the others in training only. */
export type PlayerOptionsOf<Schema extends TObject> = Partial<OptionsOf<Schema>> & Pick<PlayOptions, 'slots'>;

type WithDefault = 'needs' | 'trainsPolicy' | 'openPlayer' | 'playerOptions';

/** An algorithm with all defaults filled in. */
export interface AlgorithmUnit<Schema extends TObject = TObject>
  extends
    Omit<AlgorithmDeclaration<Schema>, WithDefault | 'train'>,
    Omit<Required<Pick<AlgorithmDeclaration<Schema>, WithDefault>>, 'needs'> {
  needs: AlgorithmNeeds;
  /** Trains with the given options; missing ones have their defaults. */
  train(run: TrainingRun, options: GivenOptions<OptionsOf<Schema>> & PlayOptions): Promise<void>;
}

const PLAY_OPTIONS = ['seed', 'slots', 'maxFailureShare', 'sampling'];

/** Declares an algorithm, with its options typed by its schema. */
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

/** An algorithm whose schema is unknown at compile time. */
// oxlint-disable-next-line typescript/no-explicit-any -- its options are checked against its own schema at run time
export type AnyAlgorithm = AlgorithmUnit<any>;
