// Defines the contract of every environment: actions and observations are texts, and Gymnasium's reset and step are asynchronous.

export interface ResetResult {
  observation: string;
  /** The environment's own observation, if `observation` is another text, which the config's node `context` composed. */
  state?: string;
  /** The ids of the examples that the episode memory put into the observation; absent without a memory. */
  retrieved?: string[];
  /** Further values for people, logs and metrics, which a policy must not use. */
  info: Record<string, unknown>;
}

export interface StepResult {
  observation: string;
  /** The environment's own observation, as in `ResetResult`. */
  state?: string;
  /** The ids of the examples in the observation, as in `ResetResult`. */
  retrieved?: string[];
  /** The reward of this step, not a running total. */
  reward: number;
  /** Whether the task ended, so that the value of the next state is 0 in RL. */
  terminated: boolean;
  /** Whether a limit outside the task, such as a turn limit, ended the episode, so that RL bootstraps the next value. */
  truncated: boolean;
  /** Further values for people, logs and metrics, which a policy must not use. */
  info: Record<string, unknown>;
}

/**
 * One multi-turn text task. Call `reset` before the first `step` and after every ended episode; a `step` at any other time
 * rejects with `EpisodeOrderError`. An invalid action is answered by an observation; a failure of the environment or its server
 * is an exception.
 */
export interface Env {
  /**
   * Begins an episode. The same seed and the same actions give the same episode; without a seed, the random generator continues
   * from its state. `episode`, the number of the episode in an evaluation set, lets an environment cover its items evenly; others
   * may ignore it.
   */
  reset(options?: { seed?: number; episode?: number }): Promise<ResetResult>;
  step(action: string): Promise<StepResult>;
  /**
   * Returns the expert's reply in the current state, whichever actions the agent took before, in the format of the
   * demonstrations; null if the expert knows no further action. It is called before a step of a running episode and must not
   * change the state. Absent if the environment has no expert.
   */
  expertReply?(): string | null;
  /** Frees the environment's resources. It may be called twice; no other call may follow. */
  close(): Promise<void>;
}

/** Disjoint sets of items: for training, for choosing the best checkpoint, and for the final test of that checkpoint. */
export type Split = 'train' | 'eval' | 'test';

/** An environment whose original accepts steps after the end of an episode, as a server that imitates it must too. */
export interface ResumableEnv extends Env {
  /** Continues an ended episode: the next `step` then belongs to that episode. */
  resume(): void;
}
