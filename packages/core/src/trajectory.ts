import type { TokenMask } from './token-mask.js';

/**
 * The data of a rollout: transitions between texts, and the token ids that the policy read and wrote, so
 * that training scores exactly what was sampled.
 */

/** One turn: the agent read `observation`, wrote `action`, and the environment answered. */
export interface Transition {
  /** The whole context as text: what the policy and the critic read. */
  observation: string;
  /** The environment's own observation, without the history that the context adds; absent where it is `observation`. */
  state?: string;
  /** Ids of what a memory has put into `observation`; absent without a memory. */
  retrieved?: string[];
  action: string;
  reward: number;
  nextObservation: string;
  /** The task ended: no value after it. */
  terminated: boolean;
  /** A limit outside the task cut the episode: it would have continued. */
  truncated: boolean;
}

/** The tokens of one utterance inside a `TokenSegment`. */
export interface UtteranceTokens {
  /** Index of the turn in the trajectory. */
  turn: number;
  /** Position in `TokenSegment.ids` of the utterance's first token. */
  start: number;
  /** The tokens that the agent wrote, without the terminator. */
  ids: number[];
  /** The token that ended the utterance, scored but not part of the history; null when the length limit ended it. */
  terminatorId: number | null;
  /** Nats, under the policy that sampled: of `ids`, then of the terminator. */
  logprobs: number[];
  /** The tokens among which each of `logprobs` was chosen; absent where it could be any. */
  allowedIds?: number[][];
  /**
   * The same as masks, where an answer was held to a grammar: one for each of `logprobs`, null where it could be any token; `logprobs` are
   * then those among the allowed tokens. Equal masks may be one array.
   */
  tokenMasks?: readonly (TokenMask | null)[];
  /** Not what the expert said or would have said, so not to be imitated. */
  slip?: boolean;
  /** Iterations that the policy had been trained for when it sampled; absent: those before the iteration that learns from it first. */
  policyVersion?: number;
}

/** A contiguous piece of context: every token attends to all earlier ones of the segment and to nothing else. */
export interface TokenSegment {
  ids: number[];
  utterances: UtteranceTokens[];
}

/** Estimates for a turn that an algorithm computed while it trained or evaluated. Only reports read them. */
export interface TurnEstimate {
  /** min(Q₁, Q₂) of the action. */
  q?: number;
  /** min(V₁, V₂), or V, of the state before it. */
  v?: number;
  /** The advantage that the policy was trained on; the mean, if tokens have advantages of their own. */
  advantage?: number;
  /** Valid actions that the critic values most, best first. */
  preferred?: { action: string; q: number }[];
}

export interface Trajectory {
  /** Counts all episodes of a run, from 0. */
  episode: number;
  /** Seed the environment was reset with. */
  seed: number;
  /** Id of the task item that was played (a goal, a word, a world), from the environment's `info.item`. */
  item?: string;
  /** The task, where the environment gives it beside its observations; not in files. */
  task?: string;
  /** Episodes of one group were reset with the same seed, so that their returns can be compared; absent: a group of its own. */
  group?: number;
  transitions: Transition[];
  /** The environment's `info` of every turn, for metrics only. */
  infos: Record<string, unknown>[];
  segments: TokenSegment[];
  /** By turn. */
  estimates?: (TurnEstimate | undefined)[];
}

/** Undiscounted sum of the rewards of an episode. */
export function episodicReturn(trajectory: { transitions: readonly { reward: number }[] }): number {
  return trajectory.transitions.reduce((sum, { reward }) => sum + reward, 0);
}
