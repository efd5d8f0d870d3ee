// The agent and the judge of a rollout: programs or functions of the user.
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
  /** The address to which rewards, metrics and the end are reported. */
  url: string;
}

/** A rollout that is being played. */
export interface PlayedRollout<Task extends AgentTask = AgentTask> {
  /** The same in every run with the same seed, as `rollout-12.1`. */
  name: string;
  task: Task;
  open: RolloutAddress;
  /** Resolves when its calls are answered and its time begins; absent: at once. */
  begun?: Promise<void>;
}

/**
 * Plays one rollout to its end. Its verdict counts as what was reported over the server does.
 *
 * @throws where the agent has failed
 */
export type RunAgent = (rollout: PlayedRollout, signal: AbortSignal) => Promise<Verdict>;

/** Judges a rollout. @throws where it cannot, which is a failure of the rollout */
export type JudgeRollout = (rollout: PlayedRollout, recorded: RecordedRollout, signal: AbortSignal) => Promise<Verdict>;

/** A rollout of a group, in the form that a judge of groups reads. */
export interface RankedRollout {
  task: AgentTask;
  recorded: RecordedRollout;
}

/**
 * Compares the rollouts of one group. Its scores are added to the rewards that the rollouts have, if any.
 *
 * @returns [rollouts] what is added
 * @throws where it cannot judge: the rollouts of the group have failed then
 */
export type RankGroup = (group: readonly RankedRollout[], signal: AbortSignal) => Promise<number[]>;
