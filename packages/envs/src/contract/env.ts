// The one contract of every environment: text in, text out, Gymnasium's reset and step made asynchronous.

export interface ResetResult {
  observation: string;
  /** The environment's own observation, where a context has made another text of it. */
  state?: string;
  /** Ids of what a memory has put into the text; absent without a memory. */
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
  /** The task ended: no value follows, so do not bootstrap. */
  terminated: boolean;
  /** A limit outside the task cut the episode: more would have followed, so do bootstrap. */
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
   * Same seed and same actions, same episode. Without a seed, the generator in use continues. The number of the episode in its
   * set is for environments that cover their items evenly; others need not read it.
   */
  reset(options?: { seed?: number; episode?: number }): Promise<ResetResult>;
  step(action: string): Promise<StepResult>;
  /**
   * The reply of the environment's expert now, whatever the player has done, written as in its demonstrations; null if it knows no
   * further. Asked before a step, in a running episode; changes nothing. Absent where there is no such expert.
   */
  expertReply?(): string | null;
  /** Frees the environment's resources. Closing twice is allowed, using it afterwards is not. */
  close(): Promise<void>;
}

/** Items that do not overlap: to learn from, to choose the best checkpoint by, and to test the choice on. */
export type Split = 'train' | 'eval' | 'test';

/** An environment whose original accepts steps after the end of an episode, so that a server in its place must accept them too. */
export interface ResumableEnv extends Env {
  /** After the end: the next `step` is one of the same episode. */
  resume(): void;
}
