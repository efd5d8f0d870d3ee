// Declares players, which choose the actions of the agent in several episodes that are played at the same time.
import type { Rng } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import type { SamplingOptions } from '@bowyer/models';
import type { TurnTokens } from './turn-tokens.js';

export interface ActRequest {
  /**
   * The index, below `slots`, of the episode among those that are played at the same time; the player keeps one context per
   * slot.
   */
  slot: number;
  /** The number of the turn; 0 for the first turn of an episode. */
  turn: number;
  observation: string;
  /** The actions that the environment accepts now, if it lists them. */
  validActions?: readonly string[];
  /** The reply of the environment's expert, for a player with `asksExpert`; null where the expert has no next action. */
  expertReply?: string | null;
  /** For a request at the state of a stored turn, which is sent as turn 0: the tokens that preceded the turn's utterance. */
  ids?: readonly number[];
  /** The episode's own random numbers. */
  rng: Rng;
}

/** Chooses the actions of the episodes that are played at the same time, each in its slot. */
export interface Player {
  /** True if `act` needs the replies of the environment's expert. */
  readonly asksExpert?: boolean;
  /**
   * Returns one decision per request, in the same order, with the tokens that a local policy read and wrote; an error instead of
   * a decision ends that episode as failed.
   */
  act(requests: ActRequest[]): Promise<(Decision<TurnTokens> | Error)[]>;
  /** Discards cached contexts, which were computed with earlier weights of the policy. Absent where nothing is cached. */
  forget?(): void;
  close(): Promise<void>;
}

/** How episodes are played. */
export interface PlayOptions {
  seed: number;
  /** The number of episodes that are played at the same time. */
  slots: number;
  /** The run stops when more than this share of the episodes of a set failed. 0.5 if not given. */
  maxFailureShare?: number;
  sampling: SamplingOptions;
}

/** Opens a player for one phase of a run, such as a rollout or an evaluation; the caller closes it. */
export type OpenPlayer = (sampling: SamplingOptions) => Promise<Player>;
