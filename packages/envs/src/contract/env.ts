// The one contract of every environment: text in, text out, Gymnasium's reset and step made asynchronous.

export interface ResetResult {
  observation: string;
  /** For people and logs; a policy that reads it is cheating. */
  info: Record<string, unknown>;
}

export interface StepResult {
  observation: string;
  /** Reward of this step alone, never a running total. */
  reward: number;
  /** The task ended: nothing of value lies beyond, so do not bootstrap. */
  terminated: boolean;
  /** A limit outside the task cut the episode: more lay beyond, so do bootstrap. */
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
  /** Same seed and same actions, same episode. Without a seed, go on with the generator already in use. */
  reset(options?: { seed?: number }): Promise<ResetResult>;
  step(action: string): Promise<StepResult>;
  /** Frees what the environment holds. Closing twice is allowed, using it afterwards is not. */
  close(): Promise<void>;
}

/** An environment whose original takes steps after the end of an episode, which a server in its place must take too. */
export interface ResumableEnv extends Env {
  /** After the end: the next `step` is one of the same episode. */
  resume(): void;
}
