// The data of a rollout: transitions between texts, and the token ids that the policy read and wrote, so that training scores
// exactly what was sampled.
import type { Utterance } from './utterance.js';

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
  /** Whether the task ended: no value after it. */
  terminated: boolean;
  /** Whether a limit outside the task cut the episode, which would have continued. */
  truncated: boolean;
}

/** An utterance at its place in a `TokenSegment`. */
export interface SegmentUtterance extends Utterance {
  /** Index of the turn in the trajectory. */
  turn: number;
  /**
   * Position in `TokenSegment.ids` of the utterance's first token. The segment may have the observation's tokens in place of the
   * terminator.
   */
  start: number;
}

/** A contiguous piece of context: every token attends to all earlier ones of the segment and to nothing else. */
export interface TokenSegment {
  ids: number[];
  utterances: SegmentUtterance[];
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

/** Sums the rewards of an episode, undiscounted. */
export function episodicReturn(trajectory: { transitions: readonly { reward: number }[] }): number {
  return trajectory.transitions.reduce((sum, { reward }) => sum + reward, 0);
}
