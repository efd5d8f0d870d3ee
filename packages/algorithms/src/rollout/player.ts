// Who chooses the actions in the episodes that wait for the agent.
import type { Rng } from '@bowyer/core';
import type { Decision } from '@bowyer/envs';
import type { SamplingOptions } from '@bowyer/models';
import type { TurnTokens } from './turn-tokens.js';

/** One action that a player is asked for. */
export interface ActRequest {
  slot: number;
  /** 0 for the first turn of an episode. */
  turn: number;
  observation: string;
  /** The actions that the environment accepts now, if it lists them. */
  validActions?: readonly string[];
  /** The reply of the environment's expert, for a player that asks; null where the expert knows no next action. */
  expertReply?: string | null;
  /** At turn 0: the tokens that the observation had when it was played before. */
  ids?: readonly number[];
  /** The episode's own stream of random numbers. */
  rng: Rng;
}

/** Chooses an action in every slot that is ready. */
export interface Player {
  /** True where `act` is to know what the environment's expert would say. */
  readonly asksExpert?: boolean;
  /**
   * Decides for every request.
   *
   * @returns one decision per request, in the same order, with the tokens that the policy read and wrote where it is one of ours;
   *   an error where there is no action, which ends that episode as failed
   */
  act(requests: ActRequest[]): Promise<(Decision<TurnTokens> | Error)[]>;
  /**
   * Forgets what is kept of contexts: the policy has other weights now, and it was computed with the earlier ones. Absent where nothing
   * is kept.
   */
  forget?(): void;
  close(): Promise<void>;
}

/** How episodes are played. */
export interface PlayOptions {
  /** All randomness of the run derives from it. */
  seed: number;
  /** Episodes in play at the same time. */
  slots: number;
  /** When more than this share of the episodes collected at once failed, the run stops. Default: half. */
  maxFailureShare?: number;
  sampling: SamplingOptions;
}

/** Opens a player for one phase; the caller closes it. */
export type OpenPlayer = (sampling: SamplingOptions) => Promise<Player>;
