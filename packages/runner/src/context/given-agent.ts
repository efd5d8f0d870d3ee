// Defines the agent that a calling program gives as a function when it runs a task through @bowyer/runner as a library. Its tasks
// are objects of that program.
import { createHash } from 'node:crypto';
import type { AgentTask, JudgeRollout, RunAgent } from '@bowyer/rollouts';

export interface GivenAgent {
  run: RunAgent;
  /** Judges a rollout. Without it, the agent function returns or reports its reward itself. */
  judge?: JudgeRollout;
  tasks: readonly AgentTask[];
  /** The tasks of evaluations during training; if absent, a share of `tasks` is held out. */
  evalTasks?: readonly AgentTask[];
  testTasks?: readonly AgentTask[];
  /** Called after every `concurrency` rollouts with the returns so far in the order of the tasks; true ends the evaluation. */
  isEnough?: (returns: readonly number[]) => boolean;
}

const FUNCTION = 'a function';

/**
 * Returns the values to record for the options `agent`, `reward` and `tasks`, which name commands and files if the agent is not a
 * function. Tasks are recorded as a digest, so that a run with other tasks is not taken for the same run.
 */
export function settingsOf({ tasks, evalTasks, testTasks, judge }: GivenAgent): Record<string, string | null> {
  const named = (given: readonly AgentTask[] | undefined) =>
    given === undefined ? null : `${given.length} objects, ${digest(JSON.stringify(given))}`;
  return {
    agent: FUNCTION,
    reward: judge === undefined ? null : FUNCTION,
    tasks: named(tasks),
    evalTasks: named(evalTasks),
    testTasks: named(testTasks),
  };
}

export const isFunction = (agent: string | null): boolean => agent === FUNCTION;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
