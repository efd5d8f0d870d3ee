// Defines the functions that run the agent and the judge of a rollout, which are programs or functions of the user.
import type { RecordedRollout } from '../record/recorded.js';
import type { Verdict } from '../rewards/verdict.js';
import type { AgentTask } from './agent-task.js';

/** The addresses and the API key by which an agent calls the model as part of one rollout. */
export interface RolloutAddress {
  id: string;
  /** The base URL for OpenAI's protocols, including the version: `…/v1`. */
  baseURL: string;
  /** The base URL for Anthropic's protocol, without the version: its SDK appends `/v1/messages`. */
  anthropicBaseURL: string;
  apiKey: string;
  /** The URL to which rewards, metrics and the end of the rollout are reported. */
  url: string;
}

/** A rollout that an agent plays now. */
export interface PlayedRollout<Task extends AgentTask = AgentTask> {
  /** The name of the rollout, which is equal in every run with the same seed, such as `rollout-12.1`. */
  name: string;
  task: Task;
  open: RolloutAddress;
  /** Resolves when the rollout's calls are answered and its time limit begins to count; absent if both begin immediately. */
  begun?: Promise<void>;
}

/** Runs the agent for one rollout. The verdict counts like one that it reports to the server. @throws if the agent has failed */
export type RunAgent = (rollout: PlayedRollout, signal: AbortSignal) => Promise<Verdict>;

/** Judges a rollout after its end. @throws if it cannot judge, in which case the rollout counts as failed */
export type JudgeRollout = (rollout: PlayedRollout, recorded: RecordedRollout, signal: AbortSignal) => Promise<Verdict>;

/** A rollout with its task, as judges get it that compare the rollouts of a group. */
export interface RankedRollout {
  task: AgentTask;
  recorded: RecordedRollout;
}

/**
 * Compares the rollouts of one group. The scores are added to the rewards that the rollouts have from their agents or judges.
 *
 * @returns [rollouts] the scores
 * @throws if it cannot judge; the rollouts of the group then count as failed
 */
export type RankGroup = (group: readonly RankedRollout[], signal: AbortSignal) => Promise<number[]>;
