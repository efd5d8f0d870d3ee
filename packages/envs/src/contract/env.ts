// The contract of every environment: text in, text out, Gymnasium's reset and step made asynchronous.

export interface ResetResult {
  observation: string;
  /** The environment's own observation, where the context's text differs from it. */
  state?: string;
  /** Ids of the examples that a memory has put into the text; absent without a memory. */
  retrieved?: string[];
  /** For people and logs; a policy that reads it is cheating. */
  info: Record<string, unknown>;
}

export interface StepResult {
  observation: string;
  /** See `ResetResult`. */
  state?: string;
  /** See `ResetResult`. */
  retrieved?: string[];
  /** Reward of this step alone, never a running total. */
  reward: number;
  /** Whether the task ended: no value follows, so do not bootstrap. */
  terminated: boolean;
  /** Whether a limit outside the task cut the episode: more would have followed, so do bootstrap. */
  truncated: boolean;
  /** For people and logs; a policy that reads it is cheating. */
  info: Record<string, unknown>;
}

/**
 * One multi-turn text task. Call `reset` before the first `step` and after every ended episode;
 * a `step` at any other time is a mistake of the caller and rejects with `EpisodeOrderError`.
 * A wrong move of the agent is an observation; a broken server is an exception.
 */
export interface Env {
  /**
   * Begins an episode. The same seed and the same actions give the same episode; without a seed, the generator in use
   * continues. The number of the episode in its set is for environments that cover their items evenly; others need not read
   * it.
   */
  reset(options?: { seed?: number; episode?: number }): Promise<ResetResult>;
  step(action: string): Promise<StepResult>;
  /**
   * Returns the reply of the environment's expert in the current state, whatever the player has done before, written as in
   * its demonstrations; null if the expert knows no further action. It is called before a step, in a running episode, and
   * changes nothing. Absent where there is no such expert.
   */
  expertReply?(): string | null;
  /** Frees the environment's resources. Closing twice is allowed, using it afterwards is not. */
  close(): Promise<void>;
}

/** Disjoint sets of items: to learn from, to choose the best checkpoint by, and to test the choice on. */
export type Split = 'train' | 'eval' | 'test';

/** An environment whose original accepts steps after the end of an episode, so that a server in its place must accept them too. */
export interface ResumableEnv extends Env {
  /** Continues an ended episode: the next `step` belongs to it. */
  resume(): void;
}
