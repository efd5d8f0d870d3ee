// Adapts the functions of a user's program (`run`, which plays a task, and `reward`, which judges the rollout) to the interface
// through which @bowyer/runner calls an agent.
import {
  verdictOf,
  type AgentTask,
  type JudgeRollout,
  type RecordedRollout,
  type RunAgent,
  type Verdict,
} from '@bowyer/rollouts';
import { inRollout, type AgentContext } from './rollout-context.js';
import { ofUser } from './user-error.js';

/** The judgement of a rollout: a reward, or a reward with components and metrics. */
export type Reward = number | Verdict;

/** A finished rollout, which `reward` judges. */
export interface PlayedTask<Result> {
  /** The value that the agent function `run` returned. */
  result: Result;
  /** All model calls of the rollout with messages, token ids and tools, and the rewards and metrics reported so far. */
  rollout: RecordedRollout;
  signal: AbortSignal;
}

/** The functions of a user's program: `run` plays a task with the model, and `reward` judges the rollout. */
export interface AgentFunctions<Task extends AgentTask, Result> {
  /**
   * Plays a task. Without `reward` it must return the reward, as a number or with components and metrics, or report it by
   * `rollout.reward`. A thrown error means that the rollout failed, not a reward of 0.
   */
  run(task: Task, context: AgentContext): Promise<Result>;
  /** Judges a finished rollout. */
  reward?(task: Task, played: PlayedTask<Awaited<Result>>): Reward | Promise<Reward>;
}

export function agentFunctions<Task extends AgentTask, Result>({
  run,
  reward,
}: AgentFunctions<Task, Result>): { run: RunAgent; judge?: JudgeRollout } {
  const results = new Map<string, Awaited<Result>>();
  return {
    async run(played, signal) {
      const result = await ofUser('run', () =>
        inRollout(played, signal, (context) => run(played.task as Task, context)),
      );
      if (reward === undefined) return verdictOf(result, 'what run has returned');
      results.set(played.open.id, result);
      return {};
    },
    ...(reward && {
      async judge({ open: { id }, task }, rollout, signal) {
        const result = results.get(id) as Awaited<Result>;
        results.delete(id);
        const rewarded = await ofUser('reward', () => reward(task as Task, { result, rollout, signal }));
        const verdict = verdictOf(rewarded, 'what reward has returned');
        if (verdict.reward === undefined)
          throw new Error('reward has returned none: a number, or {reward: …} is wanted');
        return verdict;
      },
    }),
  };
}
