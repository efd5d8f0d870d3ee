// Declares the data of a rollout: transitions as texts, and the token ids that the policy read and wrote, so that training scores
// exactly the sampled tokens.
import type { Utterance } from './utterance.js';

/** One turn: the agent read `observation` and wrote `action`, and the environment answered. */
export interface Transition {
  /** The whole context as text: what the policy and the critic read. */
  observation: string;
  /** The environment's own observation, without the history that the context adds; absent if it equals `observation`. */
  state?: string;
  /** Ids of the past episodes or turns that the memory has inserted into `observation` as examples; absent without a memory. */
  retrieved?: string[];
  action: string;
  reward: number;
  nextObservation: string;
  /** Whether the task ended, so that the next state has no value. */
  terminated: boolean;
  /** Whether a limit outside the task cut the episode, which would have continued. */
  truncated: boolean;
}

/** An utterance and its position in a `TokenSegment`. */
export interface SegmentUtterance extends Utterance {
  /** The index of the turn in the trajectory. */
  turn: number;
  /** The index in `TokenSegment.ids` of the first token. After the utterance, the segment may omit the terminator. */
  start: number;
}

/** A contiguous context: every token attends to all earlier tokens of the segment and to nothing else. */
export interface TokenSegment {
  ids: number[];
  utterances: SegmentUtterance[];
}

/** Estimates for a turn that an algorithm computed in training or evaluation. Only reports read them. */
export interface TurnEstimate {
  /** min(Q₁, Q₂) of the action. */
  q?: number;
  /** min(V₁, V₂), or V, of the state before the action. */
  v?: number;
  /** The advantage on which the policy was trained; the mean, if tokens have separate advantages. */
  advantage?: number;
  /** The valid actions with the highest values of the critic, best first. */
  preferred?: { action: string; q: number }[];
}

export interface Trajectory {
  /** The number of the episode among all episodes of a run, from 0. */
  episode: number;
  /** The seed with which the environment was reset. */
  seed: number;
  /** The id of the played task item (a goal, a word, a world), from the environment's `info.item`. */
  item?: string;
  /** The task, if the environment states it separately from its observations; not saved in files. */
  task?: string;
  /** A group of episodes that were reset with the same seed, so that their returns can be compared; absent: a group of one. */
  group?: number;
  transitions: Transition[];
  /** The environment's `info` for every turn, for metrics only. */
  infos: Record<string, unknown>[];
  segments: TokenSegment[];
  estimates?: (TurnEstimate | undefined)[];
}

/** Sums the rewards of an episode, undiscounted. */
export function episodicReturn(trajectory: { transitions: readonly { reward: number }[] }): number {
  return trajectory.transitions.reduce((sum, { reward }) => sum + reward, 0);
}
