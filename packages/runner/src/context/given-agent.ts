// Defines an agent that is a function of the program which runs the task as a library. Its tasks are objects of that program.
import { createHash } from 'node:crypto';
import type { AgentTask, JudgeRollout, RunAgent } from '@bowyer/rollouts';

export interface GivenAgent {
  run: RunAgent;
  /** If not given, the agent returns its reward itself. */
  judge?: JudgeRollout;
  tasks: readonly AgentTask[];
  /** If not given, a share of `tasks` is held out. */
  evalTasks?: readonly AgentTask[];
  testTasks?: readonly AgentTask[];
  /**
   * Called after each round of `concurrency` rollouts of an evaluation, with the returns so far in the order of the tasks; true
   * ends it.
   */
  isEnough?: (returns: readonly number[]) => boolean;
}

const FUNCTION = 'a function';

/**
 * Returns the values of the options `agent`, `reward` and `tasks`, which name commands and files where the agent is not a
 * function. Tasks are recorded as a digest, since other tasks make another run.
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
