// Defines the interface of a rollout's agent and judge, which are programs or functions of the user.
import type { RecordedRollout } from '../record/recorded.js';
import type { Verdict } from '../rewards/verdict.js';
import type { AgentTask } from './agent-task.js';

/** The addresses of one rollout at the model's server. */
export interface RolloutAddress {
  id: string;
  /** The base URL for OpenAI's protocols, with the version. */
  baseURL: string;
  /** The base URL for Anthropic's protocol, without the version. */
  anthropicBaseURL: string;
  apiKey: string;
  /** The URL for rewards, metrics and the end. */
  url: string;
}

/** A rollout that is being played. */
export interface PlayedRollout<Task extends AgentTask = AgentTask> {
  /** Equal in every run with the same seed, such as `rollout-12.1`. */
  name: string;
  task: Task;
  open: RolloutAddress;
  /** Resolves when its calls are answered and its time begins; absent if they begin immediately. */
  begun?: Promise<void>;
}

/**
 * Plays one rollout to its end. The returned verdict counts like one that is reported to the server.
 *
 * @throws if the agent has failed
 */
export type RunAgent = (rollout: PlayedRollout, signal: AbortSignal) => Promise<Verdict>;

/** Judges a rollout. @throws if it cannot, which counts as a failure of the rollout */
export type JudgeRollout = (rollout: PlayedRollout, recorded: RecordedRollout, signal: AbortSignal) => Promise<Verdict>;

/** A rollout of a group, in the form for judges of groups. */
export interface RankedRollout {
  task: AgentTask;
  recorded: RecordedRollout;
}

/**
 * Compares the rollouts of one group. Its scores are added to the rollouts' rewards, if they have any.
 *
 * @returns [rollouts] the scores
 * @throws if it cannot judge; the rollouts of the group then count as failed
 */
export type RankGroup = (group: readonly RankedRollout[], signal: AbortSignal) => Promise<number[]>;
